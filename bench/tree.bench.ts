import { defaultSettings, type KubeObject, keyOf } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { hostsIn, treeOf } from '#control/comparison';
import { parentNames } from '#engine';
import type { Figure } from './harness.ts';

// 200 Deployments, each with a ReplicaSet and three Pods, beside 4,000 Pods of others
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

const object = (apiVersion: string, kind: string, name: string, owner?: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    uid: `${kind}/${name}`,
    namespace: 'shop',
    resourceVersion: '1',
    ...(owner && {
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid ?? '',
        },
      ],
    }),
  },
  spec: {
    replicas: 3,
    nodeName: 'n',
    containers: [{ image: 'web:1', resources: { requests: { cpu: '1' } } }],
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ ready: true, state: { running: {} } }],
  },
});

function world() {
  const roots = Array.from({ length: 200 }, (_, at) => object('apps/v1', 'Deployment', `web-${at}`));
  const sets = roots.map((root) => object('apps/v1', 'ReplicaSet', `${root.metadata.name}-1`, root));
  const pods = sets.flatMap((set) =>
    ['a', 'b', 'c'].map((end) => object('v1', 'Pod', `${set.metadata.name}-${end}`, set)),
  );
  const others = Array.from({ length: 4000 }, (_, at) => object('v1', 'Pod', `other-${at}`));
  const machine = object('v1', 'Node', 'n');
  const all = [...roots, ...sets, ...pods, ...others, machine];
  const byKey = new Map(all.map((one) => [keyOf(one), one]));
  const byOwner = new Map<string, KubeObject[]>();
  for (const one of all) {
    const name = parentNames(one)[0] ?? '';
    byOwner.set(name, byOwner.get(name) ?? []);
    byOwner.get(name)?.push(one);
  }
  const cache = {
    get: (key: Parameters<typeof byKey.get>[0]) => byKey.get(key),
    ownedBy: (name: string) => byOwner.get(name) ?? [],
    inNamespace: () => all,
    ofKind: (_group: string, kind: string) => all.filter((one) => one.kind === kind),
  };
  return { cache, managed: roots.map((live) => ({ key: keyOf(live), live })) };
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[15] ?? 0;
}

export async function figures(): Promise<Figure[]> {
  const { cache, managed } = world();
  const deps = {
    settings: () => defaultSettings,
    scripts: { judge: async () => () => undefined, run: async () => undefined },
  };
  const seenWith = (spec: object) => ({
    app: { spec: { destination: { namespace: 'shop' } } },
    destination: { cluster: { cache }, project: { spec }, denies: () => undefined },
  });
  const tree = () => treeOf(ctx, deps, seenWith({}), managed);
  const grown = await tree();
  return [
    {
      name: `a tree of ${grown.nodes.length} objects`,
      value: await milliseconds(tree),
      unit: 'ms',
      target: 20,
    },
    {
      name: '  its hosts, among 4,000 Pods of others',
      value: await milliseconds(async () => hostsIn(cache, grown, [])),
      unit: 'ms',
      target: 10,
    },
    {
      name: '  the same tree with 4,000 orphans',
      value: await milliseconds(() => treeOf(ctx, deps, seenWith({ orphanedResources: {} }), managed)),
      unit: 'ms',
      target: 100,
    },
  ];
}
