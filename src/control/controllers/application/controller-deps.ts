import type { Application } from '#base/model';
import type { Ctx } from '#base/std';
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
import type { EventRecorder } from './status/event-recorder.ts';
import type { Observer } from './status/observer.ts';

/** What the controller reads, watches and reports to. */
export type ApplicationControllerDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'patch'>;
  readonly informer: Informer<Application>;
  readonly clusters: Clusters;
  /** Yields whenever a repository on this machine may have moved; never for one that is elsewhere. */
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
  readonly world: ComparisonDeps;
  /** What Git hosts tell of their repositories; left out: nobody tells. */
  readonly pushes?: (ctx: Ctx) => AsyncIterable<Push>;
  /** Whether a version is within a range, for applications that follow one. */
  readonly satisfies?: (version: string, range: string) => boolean;
  /** Every change of a project; left out: they stay as they are. */
  readonly projectChanges?: (ctx: Ctx) => AsyncIterable<ObjectChange>;
  /** Who tells people what happens to their applications; left out: nobody. */
  readonly events?: EventRecorder;
  /** Who counts what happens; left out: nobody. */
  readonly observe?: Observer;
  /** Applications that another controller looked at lately are taken from it. */
  readonly takeOver?: boolean;
  /** Every change of the settings; left out: they stay as they are. */
  readonly settingsChanges?: (ctx: Ctx) => AsyncIterable<SettingsChange>;
  /** Every change of the Secrets of repositories; left out: they stay as they are. */
  readonly repositoryChanges?: (ctx: Ctx) => AsyncIterable<RepositoriesChange>;
  /** Every change of whom we believe; left out: it stays as it is. */
  readonly trustChanges?: (ctx: Ctx) => AsyncIterable<DataChange>;
  /** Whether a repository answers; left out: only looks tell. */
  readonly reaches?: ProbeRepository;
};

/** How many passes run at a time. */
export type ApplicationControllerConfig = {
  readonly statusWorkers: number;
  readonly operationWorkers: number;
};
