import { expect, test } from 'vitest';
import { defaultSettings, type KubeObject, keyOf, type ProjectSpec } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { parentNames } from '#engine';
import { hostsIn } from './hosts.ts';
import { recordedIn, treeOf } from './tree.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const context = {
  settings: () => defaultSettings,
  scripts: { judge: async () => () => undefined, run: async () => undefined },
  isApplication: (instance: string) => instance === 'other',
};

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: Partial<KubeObject> = {},
): KubeObject => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, namespace: 'shop', uid: `${kind}-${name}`, ...more.metadata },
});
const ownedBy = (owner: KubeObject, name: string) => ({
  name,
  ownerReferences: [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.metadata.name,
      uid: owner.metadata.uid ?? '',
    },
  ],
});

function cacheOf(...objects: KubeObject[]) {
  const below = new Map<string, KubeObject[]>();
  for (const one of objects)
    for (const name of parentNames(one)) below.set(name, [...(below.get(name) ?? []), one]);
  return {
    get: (key: string) => objects.find((one) => keyOf(one) === key),
    ownedBy: (name: string) => below.get(name) ?? [],
    inNamespace: (namespace: string) => objects.filter(({ metadata }) => metadata.namespace === namespace),
    ofKind: (_group: string, kind: string) => objects.filter((one) => one.kind === kind),
  };
}

function seen(objects: KubeObject[], spec: ProjectSpec = {}, denied: readonly string[] = []) {
  return {
    app: { spec: { destination: { namespace: 'shop' } } },
    destination: {
      cluster: { cache: cacheOf(...objects) },
      project: { spec },
      denies: ({ kind }: KubeObject) => (denied.includes(kind) ? 'no' : undefined),
    },
  };
}
const managed = (...objects: KubeObject[]) => objects.map((live) => ({ key: keyOf(live), live }));

test('T-9: what controllers leave to be guessed hangs below its parent', async () => {
  const service = object('v1', 'Service', 'web');
  const account = object('v1', 'ServiceAccount', 'robot');
  const template = { metadata: { name: 'data' } };
  const set = object('apps/v1', 'StatefulSet', 'db', { spec: { volumeClaimTemplates: [template] } });
  const objects = [
    service,
    account,
    set,
    object('v1', 'Endpoints', 'web'),
    object('v1', 'Secret', 'robot-token', {
      type: 'kubernetes.io/service-account-token',
      metadata: { name: 'robot-token', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    } as Partial<KubeObject>),
    object('v1', 'PersistentVolumeClaim', 'data-db-0'),
    object('v1', 'PersistentVolumeClaim', 'data-other-0'),
  ];
  const { nodes } = await treeOf(ctx, context, seen(objects), managed(service, account, set));
  expect(nodes.map(({ name, parentRefs }) => [name, parentRefs?.[0]?.kind])).toEqual([
    ['web', undefined],
    ['web', 'Service'],
    ['robot', undefined],
    ['robot-token', 'ServiceAccount'],
    ['db', undefined],
    ['data-db-0', 'StatefulSet'],
  ]);
});

test('T-10: a child the project does not permit is hidden with everything below it', async () => {
  const root = object('apps/v1', 'Deployment', 'web');
  const set = object('apps/v1', 'ReplicaSet', 'web-1', { metadata: ownedBy(root, 'web-1') });
  const pod = object('v1', 'Pod', 'web-1-a', { metadata: ownedBy(set, 'web-1-a') });
  const objects = [root, set, pod];
  const all = await treeOf(ctx, context, seen(objects), managed(root));
  expect(all.nodes).toHaveLength(3);
  const some = await treeOf(ctx, context, seen(objects, {}, ['ReplicaSet']), managed(root));
  expect(some.nodes.map(({ kind }) => kind)).toEqual(['Deployment']);
});

test('T-8: what nobody declares is shown with its children where the project asks for it, and only there', async () => {
  const marked = (instance: string, name: string) => ({
    name,
    annotations: { 'argocd.argoproj.io/tracking-id': `${instance}:/ConfigMap:shop/${name}` },
  });
  const ours = object('v1', 'ConfigMap', 'ours');
  const stray = object('apps/v1', 'ReplicaSet', 'stray');
  const objects = [
    ours,
    stray,
    object('v1', 'Pod', 'stray-a', { metadata: ownedBy(stray, 'stray-a') }),
    object('v1', 'ConfigMap', 'theirs', { metadata: marked('other', 'theirs') }),
    object('v1', 'ConfigMap', 'left', { metadata: marked('gone', 'left') }),
    object('v1', 'ConfigMap', 'kube-root-ca.crt'),
    object('v1', 'ConfigMap', 'excused'),
    object('v1', 'Secret', 'forbidden'),
  ];
  const rules = { ignore: [{ group: '', kind: 'ConfigMap', name: 'excus*' }] };
  const asked = seen(objects, { orphanedResources: rules }, ['Secret']);
  const { nodes, orphanedNodes } = await treeOf(ctx, context, asked, managed(ours));
  expect(nodes.map(({ name }) => name)).toEqual(['ours']);
  expect(orphanedNodes.map(({ name }) => name)).toEqual(['stray', 'stray-a', 'left']);
  expect((await treeOf(ctx, context, seen(objects), managed(ours))).orphanedNodes).toEqual([]);
});

test('T-11: hosts are those that run Pods of the tree, with what the neighbours ask of them', async () => {
  const pod = (name: string, node: string, cpu: string) =>
    object('v1', 'Pod', name, {
      spec: { nodeName: node, containers: [{ resources: { requests: { cpu } } }] },
    });
  const machine = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { zone: 'a', secret: 'b' } },
    status: { capacity: { cpu: '4' } },
  });
  const own = pod('own', 'one', '500m');
  const cache = cacheOf(own, pod('near', 'one', '1'), pod('far', 'two', '1'), machine('one'), machine('two'));
  const tree = await treeOf(ctx, context, seen([own]), managed(own));
  expect(hostsIn(cache, tree, ['zone'])).toMatchObject([
    {
      name: 'one',
      resourcesInfo: [
        { resourceName: 'cpu', requestedByApp: 500, requestedByNeighbors: 1000, capacity: 4000 },
      ],
      labels: { zone: 'a' },
    },
  ]);
  expect(hostsIn(cache, { nodes: [] }, [])).toEqual([]);
});

test('what is on record and not in the cluster is Missing', async () => {
  const row = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const recorded = recordedIn({
    ...object('a/v1', 'Application', 'a'),
    spec: { destination: {} },
    status: { resources: [row] },
  });
  const { nodes } = await treeOf(ctx, context, seen([]), recorded);
  expect(nodes).toEqual([{ ...row, health: { status: 'Missing' } }]);
});
