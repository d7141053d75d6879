import { setImmediate as letOthersIn } from 'node:timers/promises';
import {
  type Application,
  type AppProject,
  defaultSettings,
  type KubeObject,
  type Settings,
} from '#base/model';
import { type Clock, type Ctx, FairleadError, type Logger, runAll, sha256, silent } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { applicationController, createEventRecorder } from '#control/controllers';
import { ClusterCache, Clusters, Informer, Pushes } from '#control/live';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient, type Transport } from '#kubernetes/client';
import { home, type Stage } from './stage.ts';

type Opener = ConstructorParameters<typeof Clusters>[0]['open'];
type Generate = ComparisonDeps['manifests']['generate'];

/** What a repository holds, commit by commit, already rendered: here it is the controller that is tried. */
export class Commits {
  readonly #byRevision = new Map<string, readonly KubeObject[]>();
  readonly #moved = new Set<() => void>();
  head = '';
  /** Why nobody answers; left out: the repository is there. */
  away: string | undefined;
  /** What was rendered before is still known when nobody answers, as it is until a cache is lost. */
  remembers = false;
  /** How often it was asked whether it is there. */
  asked = 0;

  commit(objects: readonly KubeObject[]): string {
    this.head = sha256(`${this.#byRevision.size}`).slice(0, 40);
    this.#byRevision.set(this.head, objects);
    for (const wake of this.#moved) wake();
    return this.head;
  }

  readonly generate: Generate = async (_ctx, { revisions }) => {
    await letOthersIn();
    if (this.away && !(this.remembers && revisions)) throw new FairleadError('Unavailable', this.away);
    const revision = revisions?.[0] ?? this.head;
    const objects = this.#byRevision.get(revision);
    if (!objects) throw new FairleadError('NotFound', `no revision ${revision}`);
    return {
      objects,
      revisions: [revision],
      sourceTypes: ['Directory'],
      commands: [],
      mayHaveChanges: true,
      cached: true,
      why: '',
      warnings: [],
      inputs: [],
    };
  };

  readonly reaches = async (): Promise<void> => {
    this.asked += 1;
    if (this.away) throw new FairleadError('Unavailable', this.away);
  };

  /** Like the watch of a folder: one look when it begins, one for each commit. */
  async *watch({ signal }: Ctx): AsyncGenerator<void> {
    while (!signal.aborted) {
      const next = new Promise<void>((wake) => {
        this.#moved.add(wake);
        signal.addEventListener('abort', () => wake(), { once: true });
      });
      yield;
      await next;
    }
  }
}

export type LifeOptions = {
  readonly transport?: Transport;
  readonly generate: Generate;
  readonly watch?: (ctx: Ctx) => AsyncIterable<void>;
  readonly reaches?: () => Promise<void>;
  readonly settings?: Partial<Settings>;
  /** Clusters that Secrets register; left out: they cannot be reached. */
  readonly open?: Opener;
  readonly log?: Logger;
  /** What it takes for the time; left out: the stage's. */
  readonly clock?: Clock;
  /** Its death: nothing is done from there on; what was on its way is lost, or was done and nobody heard. */
  readonly end?: AbortController;
};

/** One process of a control plane, from its start to its end, with nothing in memory but what it reads. */
export class Life {
  readonly pushes = new Pushes();
  readonly clusters: Clusters;
  readonly kube: KubeClient;
  readonly #stop: AbortController;
  readonly #running: Promise<void>;

  constructor(stage: Stage, { transport = stage.transport, ...options }: LifeOptions) {
    this.#stop = options.end ?? new AbortController();
    const kube = createKubeClient({ transport });
    this.kube = kube;
    const argo = { apiVersion: 'argoproj.io/v1alpha1', namespace: home };
    const informer = new Informer<Application>(kube, { ...argo, kind: 'Application' });
    const projects = new Informer<AppProject>(kube, { ...argo, kind: 'AppProject' });
    this.clusters = new Clusters({
      kube,
      namespace: home,
      open: (record) => this.#open(record, options.open),
    });
    const settings: Settings = { ...defaultSettings, ...options.settings };
    const context: ComparisonDeps = {
      manifests: { generate: options.generate },
      clusters: this.clusters,
      projects,
      scripts: { judge: async () => () => undefined, run: async () => undefined as never },
      settings: () => settings,
      namespace: home,
    };
    const controller = applicationController(
      {
        kube,
        informer,
        clusters: this.clusters,
        context,
        watchRepository: options.watch ?? async function* () {},
        pushes: (ctx) => this.pushes.take(ctx),
        projectChanges: (ctx) => projects.changes(ctx),
        events: createEventRecorder({ kube, component: 'argocd-application-controller' }),
        ...(options.reaches && { reaches: options.reaches }),
      },
      { statusWorkers: 200, operationWorkers: 100 },
    );
    const ctx = {
      signal: this.#stop.signal,
      log: options.log ?? silent,
      clock: options.clock ?? stage.clock,
    };
    this.#running = runAll(ctx, [
      (inner) => informer.run(inner),
      (inner) => projects.run(inner),
      (inner) => this.clusters.run(inner),
      async (inner) => {
        await Promise.all([projects, this.clusters].map((one) => one.whenSynced(inner)));
        await controller(inner);
      },
    ]);
  }

  #open(record: Parameters<Opener>[0], elsewhere: Opener | undefined) {
    if (record.server !== 'https://kubernetes.default.svc') {
      if (!elsewhere) throw new FairleadError('Unavailable', 'it cannot be reached');
      return elsewhere(record);
    }
    return { kube: this.kube, cache: cacheOf(this.kube), close: () => {} };
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

export const cacheOf = (kube: KubeClient): ClusterCache =>
  new ClusterCache({ kube, tracking: defaultTracking, isExcluded: (_group, kind) => kind === 'Event' });
