import { readFileSync } from 'node:fs';
import { setImmediate as letOthersIn } from 'node:timers/promises';
import {
  type Application,
  type AppProject,
  asKubeObject,
  defaultProjectSpec,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, silent, type VirtualClock, virtualClock } from '#base/std';
import {
  admitKnative,
  createCluster,
  createSimulation,
  type EmbeddedCluster,
  installDefinitions,
} from '#embedded';
import { createKubeClient, type KubeClient, type Transport } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';

export const home = 'argocd';
const start = new Date('2026-06-01T08:00:00Z');
/** A write is heard of within a turn or two of the event loop; a few more make sure. */
const quietTurns = 4;

export type Snapshot = ReturnType<EmbeddedCluster['snapshot']>;

/** A cluster in memory with the controllers of a real one, in a time that passes only when nothing else can happen. */
export class Stage {
  readonly clock: VirtualClock;
  readonly cluster: EmbeddedCluster;
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  readonly #simulation: ReturnType<typeof createSimulation>;
  readonly #stop: AbortController;
  readonly #running: Promise<void>;
  #stirs = 0;
  #asked = 0;
  #outside = 0;

  private constructor(clock: VirtualClock, cluster: EmbeddedCluster, stop: AbortController) {
    this.clock = clock;
    this.cluster = cluster;
    this.#stop = stop;
    this.ctx = { signal: stop.signal, log: silent, clock };
    this.kube = createKubeClient({ transport: (request) => cluster.handle(request) });
    this.#simulation = createSimulation(this.ctx, cluster.objects, { seed: 1 });
    this.#running = this.#simulation.run();
  }

  static async open(from?: Snapshot, at = start): Promise<Stage> {
    let stage: Stage | undefined;
    const clock = virtualClock({ start: at, settle: async () => stage?.quiet() });
    const cluster = await createCluster({
      ...{ store: memoryStore(), clock, seed: 1, webhooks: admitKnative },
      ...(from && { from }),
    });
    stage = new Stage(clock, cluster, new AbortController());
    await stage.#simulation.settled();
    return stage;
  }

  /** How a client reaches the cluster, so that time waits for its requests. */
  readonly transport: Transport = async (request) => {
    this.#stirs += 1;
    this.#asked += 1;
    try {
      return await this.cluster.handle(request);
    } finally {
      this.#asked -= 1;
    }
  };

  /** Work outside of this process, which virtual time has to wait for. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      return await work;
    } finally {
      this.#outside -= 1;
      this.#stirs += 1;
    }
  }

  /** Resolves when nothing can happen any more unless time passes. */
  async quiet(): Promise<void> {
    for (let still = 0, seen = -1; still < quietTurns; ) {
      if (this.#outside > 0) await realClock.sleep(1, this.#stop.signal).catch(() => {});
      await letOthersIn();
      if (still === 0) await this.#simulation.settled();
      still = this.#asked + this.#outside === 0 && this.#stirs === seen ? still + 1 : 0;
      seen = this.#stirs;
    }
  }

  /** Lets time pass until it is so, and says what never was when that takes longer than the patience. */
  async until(what: string, isSo: () => boolean, patienceMs = 3_600_000): Promise<void> {
    const end = this.clock.now().getTime() + patienceMs;
    await this.quiet();
    while (!isSo()) {
      if (this.clock.now().getTime() > end) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
      if (!(await this.clock.advanceToNext())) throw new Error(`${what}: nothing happens any more`);
    }
  }

  app(name: string): Application | undefined {
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name };
    return this.cluster.objects.get(ref) as Application | undefined;
  }

  list(apiVersion: string, kind: string, namespace?: string): readonly KubeObject[] {
    return this.cluster.objects.list({ apiVersion, kind }, { namespace });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.cluster.close();
    await this.#running.catch(() => {});
  }
}

/** The definitions, the namespaces and the project that every stage begins with, made once. */
export function furnished(): Promise<Snapshot> {
  prepared ??= furnish();
  return prepared;
}
let prepared: Promise<Snapshot> | undefined;

/** The same on a cluster with Knative. */
export const furnishedWithKnative = (): Promise<Snapshot> =>
  furnish(async ({ cluster }) => installDefinitions(cluster.objects));

async function furnish(prepare: (stage: Stage) => Promise<void> = async () => {}): Promise<Snapshot> {
  const stage = await Stage.open();
  await prepare(stage);
  const { ctx, kube } = stage;
  const apply = (object: KubeObject) => kube.apply(ctx, object, { fieldManager: 'test', force: true });
  for (const name of ['application', 'app-project', 'application-set']) {
    const text = readFileSync(`deploy/crds/${name}.yaml`, 'utf8');
    await apply(asKubeObject(parse(text), name));
  }
  await stage.clock.advance(1000);
  for (const name of [home, 'shop']) await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const project: AppProject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: home },
    spec: defaultProjectSpec,
  };
  await apply(project);
  await stage.quiet();
  const snapshot = stage.cluster.snapshot();
  await stage.close();
  return snapshot;
}
