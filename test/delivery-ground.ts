import { readFileSync } from 'node:fs';
import { asKubeObject, type KubeObject } from '#base/model';
import {
  type Ctx,
  FairleadError,
  parseJson,
  runAll,
  silent,
  type Task,
  type VirtualClock,
  virtualClock,
} from '#base/std';
import {
  analysisController,
  createEventRecorder,
  experimentController,
  RolloutInformers,
  type RolloutObserver,
  rolloutController,
} from '#control/controllers';
import { admitKnative, createCluster, createSimulation, type EmbeddedCluster } from '#embedded';
import type { AnalysisRun, Experiment, Rollout, RolloutReplicaSet } from '#engine/rollouts';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';

// The controllers of progressive delivery on the embedded cluster, in virtual time: half an hour of steps takes as long as its work
// does. What reaches a metric endpoint is real HTTP.

const argo = 'argoproj.io/v1alpha1';
export const namespace = 'default';

type Transport = Parameters<typeof createKubeClient>[0]['transport'];
type Request = Parameters<typeof analysisController>[0]['request'];

/** What happens to the writes of a controller: `writes` of them succeed, then none returns. */
type Cut = { readonly writes?: number };

export type DeliveryGround = {
  readonly cluster: EmbeddedCluster;
  readonly clock: VirtualClock;
  readonly ctx: Ctx;
  /** The client of users. */
  readonly kube: KubeClient;
  /** How many writes the controllers have made. */
  readonly writes: number;
  /** Starts the controllers; the call that comes back kills them. */
  start(cut?: Cut, observe?: RolloutObserver): () => Promise<void>;
  /** Runs any other task with a client of its own, whose writes count. */
  run(task: (kube: KubeClient) => Task): () => Promise<void>;
  /** Lets everything that is due happen, then time pass. */
  pass(seconds?: number): Promise<void>;
  create(kind: string, name: string, spec: object, more?: object): Promise<KubeObject>;
  rollout(name?: string): Promise<Rollout>;
  replicaSets(): Promise<RolloutReplicaSet[]>;
  runs(): Promise<AnalysisRun[]>;
  experiments(): Promise<Experiment[]>;
  /** The Events, oldest first. */
  events(): Promise<readonly { readonly reason: string; readonly message: string; readonly count: number }[]>;
  patch(body: object, name?: string): Promise<void>;
  patchStatus(status: object, name?: string): Promise<void>;
  stop(): Promise<void>;
};

/** Requests to loopback; which addresses may be reached is decided by the program that wires the controllers. */
function loopbackRequest(counter: { busy: number }): Request {
  return async (_ctx, { url, method, headers, body, ms }) => {
    counter.busy += 1;
    try {
      const answer = await fetch(url, {
        ...(method && { method }),
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(ms),
      });
      const found = Object.fromEntries(answer.headers);
      return { status: answer.status, headers: found, body: new Uint8Array(await answer.arrayBuffer()) };
    } catch (error) {
      throw new FairleadError('Unavailable', `${url.host} is unreachable`, error);
    } finally {
      counter.busy -= 1;
    }
  };
}

const isWrite = ({ method }: Parameters<Transport>[0]): boolean => method !== 'GET';

export async function deliveryGround(options: { readonly start?: Date } = {}): Promise<DeliveryGround> {
  const counter = { calls: 0, writes: 0, busy: 0 };
  let settled = async (): Promise<void> => {};
  const clock = virtualClock({
    start: options.start ?? new Date('2026-01-01T00:00:00Z'),
    settle: () => settled(),
  });
  const stopping = new AbortController();
  const ctx: Ctx = { signal: stopping.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock, seed: 7, webhooks: admitKnative });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'test', force: true });
  const simulation = createSimulation(ctx, cluster.objects, { pace: 'instant', runForMs: 10 });
  const running = simulation.run();
  running.catch(() => {}); // stop() awaits it
  settled = async () => {
    await quiet(counter);
    await simulation.settled();
    await quiet(counter);
  };

  const clientWith = ({ writes = Number.POSITIVE_INFINITY }: Cut): KubeClient => {
    let made = 0;
    return createKubeClient({
      transport: (request) => {
        counter.calls += 1;
        if (!isWrite(request)) return cluster.handle(request);
        counter.writes += 1;
        made += 1;
        return made > writes ? new Promise(() => {}) : cluster.handle(request);
      },
    });
  };
  const begin = (task: Task): (() => Promise<void>) => {
    const kill = new AbortController();
    const inner: Ctx = { ...ctx, signal: AbortSignal.any([ctx.signal, kill.signal]) };
    const done = task(inner).catch(() => {});
    return async () => {
      kill.abort();
      // a controller that was cut off in a write never ends
      await Promise.race([done, quiet(counter)]);
    };
  };
  const list = async (apiVersion: string, kind: string) =>
    (await kube.list(ctx, { apiVersion, kind, namespace })).items;
  const ref = (name: string) => ({ apiVersion: argo, kind: 'Rollout', namespace, name });
  return {
    cluster,
    clock,
    ctx,
    kube,
    get writes() {
      return counter.writes;
    },
    start: (cut = {}, observe) => {
      const client = clientWith(cut);
      const informers = new RolloutInformers(client);
      // events are written beside the work and decide nothing
      const events = createEventRecorder({ kube, component: 'rollouts-controller' });
      const deps = { kube: client, informers, events, request: loopbackRequest(counter) };
      return begin((inner) =>
        runAll(inner, [
          (one) => informers.run(one),
          rolloutController({ ...deps, ...(observe && { observe }) }),
          analysisController(deps),
          experimentController(deps),
        ]),
      );
    },
    run: (task) => begin(task(clientWith({}))),
    pass: (seconds = 1) => clock.advance(seconds * 1000),
    create: (kind, name, spec, more = {}) =>
      kube.create(ctx, {
        apiVersion: argo,
        kind,
        metadata: { name, namespace },
        spec,
        ...more,
      } as KubeObject),
    rollout: async (name = 'web') => (await kube.get(ctx, ref(name))) as Rollout,
    replicaSets: async () => (await list('apps/v1', 'ReplicaSet')) as RolloutReplicaSet[],
    runs: async () => (await list(argo, 'AnalysisRun')) as AnalysisRun[],
    experiments: async () => (await list(argo, 'Experiment')) as Experiment[],
    events: async () =>
      (
        (await list('v1', 'Event')) as (KubeObject & { reason: string; message: string; count: number })[]
      ).map(({ reason, message, count }) => ({ reason, message, count })),
    patch: async (body, name = 'web') => {
      await kube.patch(ctx, ref(name), { type: 'merge', body });
    },
    patchStatus: async (status, name = 'web') => {
      await kube.patch(ctx, { ...ref(name), subresource: 'status' }, { type: 'merge', body: { status } });
    },
    stop: async () => {
      stopping.abort();
      await running.catch(() => {});
      await cluster.close();
    },
  };
}

/** Nothing is under way when no call was made and no endpoint was waited for during several rounds of the event loop. */
async function quiet(counter: { readonly calls: number; readonly busy: number }): Promise<void> {
  for (let still = 0, seen = -1; still < 8; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = counter.calls === seen && counter.busy === 0 ? still + 1 : 0;
    seen = counter.calls;
  }
}
