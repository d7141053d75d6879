import { type Cluster, type ClusterOptions, createCluster, type ObjectRef, type Objects } from '#devcluster';
import type { KubeObject } from '#model';
import { silent, type VirtualClock, virtualClock } from '#std';
import type { SimulationOptions } from './options.ts';
import { runSimulation } from './simulation.ts';

/** A cluster with its controllers in virtual time, for the tests of this room. */
export type Stage = {
  readonly cluster: Cluster;
  readonly objects: Objects;
  readonly clock: VirtualClock;
  create(object: object): Promise<KubeObject>;
  /** The object now; throws when there is none. */
  read<T = KubeObject>(ref: ObjectRef): T;
  /** Stops the controllers as a crash would, between any two writes. */
  stop(): Promise<void>;
};

type Options = SimulationOptions & { readonly store: ClusterOptions['store']; readonly prepare?: Prepare };
type Prepare = (objects: Objects) => Promise<void>;

const user = { manager: 'kubectl' };

export async function createStage({ store, prepare, ...options }: Options): Promise<Stage> {
  let calls = 0;
  const clock = virtualClock({ settle: () => quiet(() => calls) });
  const cluster = await createCluster({ store, clock, seed: 7 });
  const objects = counted(cluster.objects, () => {
    calls += 1;
  });
  await prepare?.(objects);
  const stopping = new AbortController();
  const running = runSimulation({ signal: stopping.signal, log: silent, clock }, objects, options);
  running.catch(() => {}); // seen by whoever stops it
  return {
    cluster,
    objects,
    clock,
    create: (object) => objects.create(object as KubeObject, user),
    read<T>(ref: ObjectRef): T {
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

function counted(objects: Objects, onCall: () => void): Objects {
  return new Proxy(objects, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        onCall();
        return value.apply(target, args);
      };
    },
  });
}

/** Nobody has asked the cluster anything for several turns of the event loop. */
async function quiet(calls: () => number): Promise<void> {
  for (let still = 0, seen = -1; still < 8; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = calls() === seen ? still + 1 : 0;
    seen = calls();
  }
}
