import { fork } from 'node:child_process';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { asKubeObject, type KubeObject } from '#base/model';
import { type Ctx, parseJson, realClock, silent } from '#base/std';
import { createCluster, listen, runSimulation } from '#embedded';
import { createKubeClient, type KubeClient, listWatch } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import type { Figure } from './harness.ts';
import type { Usage } from './rollouts/controller.ts';
import { earlier, ingress, namespace, rollout, rolloutKind, service } from './rollouts/objects.ts';

setMaxListeners(0);
const count = 500;
const idleMs = 20_000;
/** A start is over by then. */
const startMs = 5_000;
/** The timer of a Rollout that waited for its pods fires once more, a minute after it was set. */
const aftermathMs = 65_000;
const rounds = 15;

type Bench = {
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  /** Every change of a ReplicaSet, an Ingress or a Rollout. */
  readonly changes: EventEmitter<{ change: [KubeObject] }>;
  usage(collect?: boolean): Promise<Usage>;
};

/**
 * The controller of Rollouts in a process of its own, on an embedded cluster over loopback: what it needs for Rollouts at rest, each with
 * three ReplicaSets, and how soon it takes a step of one Rollout among them.
 */
export const figures = (): Promise<Figure[]> => withController(measure);

async function measure(bench: Bench): Promise<Figure[]> {
  await sleep(startMs);
  const empty = await bench.usage(true);
  const emptyCpu = await restingCpu(bench);
  await createAll(bench);
  await sleep(aftermathMs);
  const full = await bench.usage(true);
  const cpu = await restingCpu(bench);
  const row = (name: string, value: number, unit: string, target: number): Figure => ({
    name: `rollouts: ${name}`,
    value,
    unit,
    target,
  });
  const steps = await stepTimes(bench);
  return [
    row(`${count} at rest, processor beyond none at all`, Math.max(0, cpu - emptyCpu), '% of a core', 0.1),
    row('memory of one at rest', (full.heap - empty.heap) / count / 1024, 'KB', 50),
    row(`promote to ReplicaSet scaled, median of ${rounds}`, median(steps.scaled), 'ms', 50),
    row(`promote to weight written, median of ${rounds}`, median(steps.weighed), 'ms', 50),
    row(`end of a pause to weight written, median of ${rounds}`, median(steps.timed), 'ms', 50),
  ];
}

async function restingCpu({ usage }: Bench): Promise<number> {
  const { cpu } = await usage();
  await sleep(idleMs);
  return (((await usage()).cpu - cpu) / 1000 / idleMs) * 100;
}

async function createAll({ ctx, kube }: Bench): Promise<void> {
  const left = Array.from({ length: count }, (_one, index) => `web-${index}`).values();
  const worker = async (): Promise<void> => {
    for (const name of left) {
      const made = await kube.create(ctx, rollout(name));
      for (const revision of [1, 2]) await kube.create(ctx, earlier(made, revision));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const areHealthy = async (): Promise<boolean> => {
    const { items } = await kube.list(ctx, rolloutKind);
    return items.every((one) => phaseOf(one) === 'Healthy');
  };
  while (!(await areHealthy())) await sleep(200);
}

const phaseOf = ({ status }: KubeObject): string | undefined => (status as { phase?: string })?.phase;

type Steps = { readonly scaled: number[]; readonly weighed: number[]; readonly timed: number[] };

/** One canary goes through its steps again and again: its pods and its weight move apart, so that each is seen alone. */
async function stepTimes(bench: Bench): Promise<Steps> {
  const { ctx, kube } = bench;
  const name = 'stepping';
  for (const one of [service('stable', name), service('canary', name), ingress('edge', 'stable')])
    await kube.create(ctx, one);
  const steps = [
    { setCanaryScale: { replicas: 1 } },
    ...[{ setWeight: 10 }, { pause: {} }, { setCanaryScale: { replicas: 2 } }, { pause: {} }],
    ...[{ setWeight: 20 }, { pause: { duration: 3 } }, { setWeight: 30 }, { pause: {} }],
  ];
  const trafficRouting = { nginx: { stableIngress: 'edge' } };
  await kube.create(
    ctx,
    rollout(name, { steps, canaryService: 'canary', stableService: 'stable', trafficRouting }),
  );
  await reaches(bench, name, ({ phase }) => phase === 'Healthy');
  const times: Steps = { scaled: [], weighed: [], timed: [] };
  for (let round = 0; round < rounds; round++) await playRound(bench, name, { round, times });
  return times;
}

type StatusView = {
  phase?: string;
  currentStepIndex?: number;
  pauseConditions?: { reason: string; startTime: string }[];
};

async function playRound(
  bench: Bench,
  name: string,
  { round, times }: { round: number; times: Steps },
): Promise<void> {
  const { ctx, kube } = bench;
  const ref = { ...rolloutKind, name };
  const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: `web:n${round}` }];
  await kube.patch(ctx, ref, { type: 'json', body: image });
  const pausedAt = (index: number) =>
    reaches(
      bench,
      name,
      (status) => status.phase === 'Paused' && status.currentStepIndex === index && !!status.pauseConditions,
    );
  await pausedAt(2);
  times.scaled.push(await promoted(bench, ref, (seen) => isScaled(seen, `web:n${round}`, 2)));
  await pausedAt(4);
  times.weighed.push(await promoted(bench, ref, (seen) => isWeight(seen, '20')));
  const { pauseConditions = [] } = await pausedAt(6);
  const end = Date.parse(pauseConditions[0]?.startTime ?? '') + 3000;
  await sees(bench, (seen) => isWeight(seen, '30'));
  times.timed.push(Date.now() - end);
  await pausedAt(8);
  await kube.patch(
    ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { promoteFull: true } } },
  );
  await reaches(bench, name, ({ phase }) => phase === 'Healthy');
}

/** Milliseconds from the write of the plugin to the write of the controller. */
async function promoted(
  bench: Bench,
  ref: typeof rolloutKind & { name: string },
  isDone: (seen: KubeObject) => boolean,
): Promise<number> {
  const done = sees(bench, isDone);
  const began = performance.now();
  await bench.kube.patch(
    bench.ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { pauseConditions: null } } },
  );
  await done;
  return performance.now() - began;
}

/** The first change from now on that is so. */
const sees = ({ changes }: Bench, isSo: (seen: KubeObject) => boolean): Promise<KubeObject> =>
  new Promise((resolve) => {
    const hear = (object: KubeObject): void => {
      if (!isSo(object)) return;
      changes.off('change', hear);
      resolve(object);
    };
    changes.on('change', hear);
  });

async function reaches(
  bench: Bench,
  name: string,
  isSo: (status: StatusView) => boolean,
): Promise<StatusView> {
  const isReached = ({ kind, metadata, status }: KubeObject): boolean =>
    kind === 'Rollout' && metadata.name === name && isSo((status ?? {}) as StatusView);
  const later = sees(bench, isReached);
  const now = await bench.kube.get(bench.ctx, { ...rolloutKind, name });
  return (isReached(now) ? now : await later).status as StatusView;
}

const isScaled = ({ kind, spec }: KubeObject, image: string, size: number): boolean =>
  kind === 'ReplicaSet' &&
  (spec as { replicas?: number }).replicas === size &&
  JSON.stringify(spec).includes(`"${image}"`);
const isWeight = ({ kind, metadata }: KubeObject, weight: string): boolean =>
  kind === 'Ingress' && metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'] === weight;

async function withController<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'bench', force: true });
  const { kubeconfigPath, close } = await listen(ctx, cluster, { port: 0, dir: folder });
  const simulation = runSimulation(ctx, cluster.objects, { pace: 'instant' }).catch(() => {});
  const changes = new EventEmitter<{ change: [KubeObject] }>();
  const watching = watched.map((kind) => follow(ctx, kube, { ...kind, namespace }, changes));
  const program = fileURLToPath(import.meta.resolve('./rollouts/controller.ts'));
  const child = fork(program, [kubeconfigPath], { execArgv: [...process.execArgv, '--expose-gc'] });
  const usage = async (collect = false): Promise<Usage> => {
    child.send(collect ? 'collect' : 'report');
    const [reported] = await once(child, 'message');
    return reported;
  };
  try {
    return await work({ ctx, kube, changes, usage });
  } finally {
    child.disconnect();
    await once(child, 'exit');
    stop.abort();
    await Promise.all([simulation, ...watching]);
    await close();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const watched = [
  { apiVersion: rolloutKind.apiVersion, kind: 'Rollout' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
];

async function follow(
  ctx: Ctx,
  kube: KubeClient,
  from: { apiVersion: string; kind: string; namespace: string },
  changes: Bench['changes'],
): Promise<void> {
  for await (const event of listWatch(ctx, kube, from))
    if ('object' in event) changes.emit('change', event.object);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
