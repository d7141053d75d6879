import type { Application } from '#base/model';
import type { Ctx, Records } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type {
  Clusters,
  DataChange,
  Informer,
  ObjectChange,
  RepositoriesChange,
  SettingsChange,
} from '#control/live';
import type { Push } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import type { ProbeRepository } from './pacing/outages.ts';
import type { ComparisonRecord } from './pacing/repository-grace.ts';
import type { EventRecorder } from './status/event-recorder.ts';
import type { Observer } from './status/observer.ts';

/** What the controller reads, watches and reports to. */
export type ApplicationControllerDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'patch'>;
  readonly informer: Informer<Application>;
  readonly clusters: Clusters;
  /** Yields whenever a repository on this machine may have changed; never for a remote repository. */
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
  readonly context: ComparisonDeps;
  /** Pushes reported by the webhooks of Git hosts; left out: none. */
  readonly pushes?: (ctx: Ctx) => AsyncIterable<Push>;
  /** Whether a version is within a range, for applications that track a version range. */
  readonly satisfies?: (version: string, range: string) => boolean;
  /** Every change of a project; left out: projects never change. */
  readonly projectChanges?: (ctx: Ctx) => AsyncIterable<ObjectChange>;
  /** Records Kubernetes events about applications; left out: no events. */
  readonly events?: EventRecorder;
  /** Counts for metrics; left out: no metrics. */
  readonly observe?: Observer;
  /** Reconcile applications that another controller reconciled lately as well (engine X-61). */
  readonly takeOver?: boolean;
  /** Every change of the settings; left out: they never change. */
  readonly settingsChanges?: (ctx: Ctx) => AsyncIterable<SettingsChange>;
  /** Every change of repository Secrets; left out: they never change. */
  readonly repositoryChanges?: (ctx: Ctx) => AsyncIterable<RepositoriesChange>;
  /** Every change of certificates, known hosts and signing keys; left out: they never change. */
  readonly trustChanges?: (ctx: Ctx) => AsyncIterable<DataChange>;
  /** Probes whether a repository is reachable; left out: only refreshes find out. */
  readonly reaches?: ProbeRepository;
  /** The last successful comparisons, for the next process; left out: it heals nothing until the repositories respond. */
  readonly comparisons?: Records<ComparisonRecord>;
};

/** How many passes run concurrently. */
export type ApplicationControllerConfig = {
  readonly statusWorkers: number;
  readonly operationWorkers: number;
};
