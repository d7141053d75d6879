import type { KubeObject } from '#base/model';
import { silent, type VirtualClock, virtualClock } from '#base/std';
import {
  type ClusterOptions,
  createCluster,
  type EmbeddedCluster,
  type Objects,
  type StoredRef,
} from '#embedded/apiserver';
import { admitKnative } from './knative/admission.ts';
import type { SimulationOptions } from './options.ts';
import { createSimulation } from './simulation.ts';

/** A cluster with its controllers in virtual time, for the tests of this room. */
export type VirtualCluster = {
  readonly cluster: EmbeddedCluster;
  readonly objects: Objects;
  readonly clock: VirtualClock;
  create(object: object): Promise<KubeObject>;
  patch(ref: StoredRef, body: Readonly<Record<string, unknown>>): Promise<KubeObject>;
  remove(ref: StoredRef): Promise<void>;
  /** How many calls the controllers have made to the cluster. */
  readonly calls: number;
  /** Advances time until nothing is due within the horizon. */
  settle(horizonMs?: number): Promise<void>;
  /** The current object; throws when it does not exist. */
  read<T = KubeObject>(ref: StoredRef): T;
  stop(): Promise<void>;
};

type Options = SimulationOptions & {
  readonly store: ClusterOptions['store'];
  readonly startAt?: Date;
  /** How much of its history the cluster keeps. */
  readonly history?: NonNullable<ClusterOptions['history']>;
  /** How many writes of the controllers succeed before they are cut off. */
  readonly killAfter?: number;
};

const user = { manager: 'kubectl' };

export async function createStage({
  store,
  startAt,
  history,
  killAfter,
  ...options
}: Options): Promise<VirtualCluster> {
  const counter = { calls: 0, writes: 0 };
  let settled = async (): Promise<void> => {};
  const clock = virtualClock({
    settle: () => settled(),
    ...(startAt && { start: startAt }),
  });
  const cluster = await createCluster({
    store,
    clock,
    seed: 7,
    webhooks: admitKnative,
    ...(history && { history }),
  });
  const stopping = new AbortController();
  const watched = counted(cluster.objects, counter, killAfter ?? Number.POSITIVE_INFINITY);
  const simulation = createSimulation({ signal: stopping.signal, log: silent, clock }, watched, options);
  settled = async () => {
    if (killAfter !== undefined) return quiet(() => counter.calls);
    await simulation.settled();
    await cluster.settled();
    await simulation.settled();
  };
  const running = simulation.run();
  running.catch(() => {}); // stop() awaits it
  const { objects } = cluster;
  return {
    cluster,
    objects,
    clock,
    create: (object) => objects.create(object as KubeObject, user),
    patch: (ref, body) => objects.patch(ref, { type: 'merge', body }, user),
    async remove(ref) {
      await objects.remove(ref, { propagationPolicy: 'Background' }, user);
    },
    settle: (horizonMs) => simulation.settle(clock, horizonMs),
    get calls() {
      return counter.calls;
    },
    read<T>(ref: StoredRef): T {
      const found = objects.get(ref);
      if (!found) throw new Error(`no ${ref.kind} ${ref.name}`);
      return found as T;
    },
    async stop() {
      stopping.abort();
      await running;
      await cluster.close();
    },
  };
}

const writes = new Set<string | symbol>(['create', 'update', 'patch', 'patchStatus', 'remove']);

/** The same objects, with every call counted; after `killAfter` writes no write returns. */
function counted(objects: Objects, counter: { calls: number; writes: number }, killAfter: number): Objects {
  return new Proxy(objects, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        counter.calls += 1;
        if (writes.has(name)) counter.writes += 1;
        if (writes.has(name) && counter.writes > killAfter) return new Promise(() => {});
        return value.apply(target, args);
      };
    },
  });
}

/**
 * Controllers that were cut off never finish: they are idle when no call was made for several event-loop
 * iterations.
 */
async function quiet(calls: () => number): Promise<void> {
  for (let still = 0, seen = -1; still < 8; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = calls() === seen ? still + 1 : 0;
    seen = calls();
  }
}
