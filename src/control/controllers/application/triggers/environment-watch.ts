import { type Application, type AppProject, projectName, trimServer } from '#base/model';
import { equal } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { Clusters, DataChange, ObjectChange, RepositoriesChange, SettingsChange } from '#control/live';
import type { Lane } from '#control/runtime';
import type { RefreshLevel } from '#engine';
import { keyOfApp } from '../applications.ts';
import { mayOperate } from './object-changes.ts';
import { affectedByRepositories, affectedByTrust } from './repository-change.ts';
import { affectedBySettings, applyClusterSettings } from './settings-change.ts';

export type EnvironmentWatchDeps = {
  readonly context: ComparisonDeps;
  readonly clusters: Clusters;
  all(): readonly Application[];
  requestRefresh(key: string, level: RefreshLevel, lane: Lane): void;
  /** Enqueues the operation of an application at once. */
  act(key: string): void;
  /** Schedules the next refresh of an application within the current interval. */
  schedule(key: string): void;
  /** A project changed. */
  onProject(): void;
};

type Changes<T> = AsyncIterable<T> | Iterable<T>;

/**
 * Watches what applications depend on besides their own object and their resources: clusters, settings, projects, repository
 * Secrets and trusted certificates, hosts and keys. A change enqueues only the applications it may affect. In the bulk lane,
 * since there may be thousands of them; only those with errors, which the user may be repairing, are prompt.
 */
export class EnvironmentWatch {
  readonly #deps: EnvironmentWatchDeps;

  constructor(deps: EnvironmentWatchDeps) {
    this.#deps = deps;
  }

  /** A cluster was added, removed or became readable: refreshes the applications deployed there. */
  async onClusterChange(servers: Changes<string>): Promise<void> {
    for await (const server of servers) {
      this.#wake('recorded', (app) => {
        const { server: named } = app.spec?.destination ?? {};
        const found = this.#serverOf(app) ?? (named && trimServer(named));
        return found === undefined || found === server;
      });
    }
  }

  /**
   * dev engine §2.1: intervals and the rest of argocd-cmd-params-cm take effect when they are written; Argo CD reads them
   * when it starts.
   */
  async onSettingsChange(changes: Changes<SettingsChange>): Promise<void> {
    for await (const change of changes) {
      const { clusters, all, schedule } = this.#deps;
      for (const cluster of clusters.all()) applyClusterSettings(cluster, change);
      if (!equal(change.before.refresh, change.after.refresh))
        for (const app of all()) schedule(keyOfApp(app));
      this.#wake('recorded', affectedBySettings(change));
    }
  }

  /**
   * Changes of projects: they may permit more, or less. A global project affects others (engine P-2). An operation may have waited
   * for the change, as for a window that opens now (engine R-35).
   */
  async onProjectChange(changes: Changes<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const { name = '' } = (after ?? before)?.metadata ?? {};
      if (equal((before as AppProject | undefined)?.spec, (after as AppProject | undefined)?.spec)) continue;
      this.#deps.onProject();
      const globals = this.#deps.context.settings().globalProjects;
      const isGlobal = globals.some(({ projectName: global }) => global === name);
      const isConcerned = (app: Application) => isGlobal || projectName(app) === name;
      this.#wake('recorded', isConcerned);
      for (const app of this.#deps.all())
        if (isConcerned(app) && mayOperate(app)) this.#deps.act(keyOfApp(app));
    }
  }

  /** Repository Secrets were added, removed or have other credentials. */
  async onRepositoryChange(changes: Changes<RepositoriesChange>): Promise<void> {
    for await (const change of changes) this.#wake('resolved', affectedByRepositories(change));
  }

  /** Trusted certificates, known hosts or keys changed. */
  async onTrustChange(changes: Changes<DataChange>): Promise<void> {
    const { context } = this.#deps;
    const projectOf = (app: Application) => context.projects.get(context.namespace, projectName(app));
    for await (const change of changes) this.#wake('resolved', affectedByTrust(change, projectOf));
  }

  #wake(level: RefreshLevel, isConcerned: (app: Application) => boolean): void {
    const { all, requestRefresh } = this.#deps;
    for (const app of all())
      if (isConcerned(app)) requestRefresh(keyOfApp(app), level, isFailing(app) ? 'prompt' : 'bulk');
  }

  #serverOf({ spec }: Application): string | undefined {
    try {
      return this.#deps.clusters.resolve(spec.destination).server;
    } catch {
      return undefined; // reported by a condition
    }
  }
}

const isFailing = ({ status }: Application): boolean =>
  status?.conditions?.some(({ type }) => type.endsWith('Error')) ?? false;
