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
  readonly world: ComparisonDeps;
  readonly clusters: Clusters;
  all(): readonly Application[];
  ask(key: string, level: RefreshLevel, lane: Lane): void;
  /** Has the operation of an application go on at once. */
  act(key: string): void;
  /** Sees to it that an application is looked at within the interval of now. */
  schedule(key: string): void;
  /** A project is another one now. */
  onProject(): void;
};

type Heard<T> = AsyncIterable<T> | Iterable<T>;

/**
 * What applications depend on besides their own object and what they manage: clusters, settings, projects, the Secrets of
 * repositories and whom we believe. A change wakes those it may concern, and nobody else. In the bulk lane: nobody waits,
 * and there may be thousands to look at; only who fails as it is may be what somebody is just repairing.
 */
export class EnvironmentWatch {
  readonly #deps: EnvironmentWatchDeps;

  constructor(deps: EnvironmentWatchDeps) {
    this.#deps = deps;
  }

  /** A cluster came, went or can be read from now on: those who are to be deployed there look at it. */
  async meet(servers: Heard<string>): Promise<void> {
    for await (const server of servers) {
      this.#wake('recorded', (app) => {
        const { server: named } = app.spec?.destination ?? {};
        const found = this.#serverOf(app) ?? (named && trimServer(named));
        return found === undefined || found === server;
      });
    }
  }

  /** dev §2.1: intervals and the rest of argocd-cmd-params-cm count from the moment they are written; Argo CD reads them when it starts. */
  async adapt(changes: Heard<SettingsChange>): Promise<void> {
    for await (const change of changes) {
      const { clusters, all, schedule } = this.#deps;
      for (const cluster of clusters.all()) applyClusterSettings(cluster, change);
      if (!equal(change.before.refresh, change.after.refresh))
        for (const app of all()) schedule(keyOfApp(app));
      this.#wake('recorded', affectedBySettings(change));
    }
  }

  /**
   * Changes of projects: what they permit may now be more, or less. A global one reaches into the others (P-2). An operation
   * may have waited for just that: a window that opens now.
   */
  async govern(changes: Heard<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const { name = '' } = (after ?? before)?.metadata ?? {};
      if (equal((before as AppProject | undefined)?.spec, (after as AppProject | undefined)?.spec)) continue;
      this.#deps.onProject();
      const globals = this.#deps.world.settings().globalProjects;
      const isGlobal = globals.some(({ projectName: global }) => global === name);
      const isConcerned = (app: Application) => isGlobal || projectName(app) === name;
      this.#wake('recorded', isConcerned);
      for (const app of this.#deps.all())
        if (isConcerned(app) && mayOperate(app)) this.#deps.act(keyOfApp(app));
    }
  }

  /** Secrets of repositories came, went or hold other credentials. */
  async reask(changes: Heard<RepositoriesChange>): Promise<void> {
    for await (const change of changes) this.#wake('resolved', affectedByRepositories(change));
  }

  /** Certificates, known hosts or keys are others now. */
  async believe(changes: Heard<DataChange>): Promise<void> {
    const { world } = this.#deps;
    const projectOf = (app: Application) => world.projects.get(world.namespace, projectName(app));
    for await (const change of changes) this.#wake('resolved', affectedByTrust(change, projectOf));
  }

  #wake(level: RefreshLevel, isConcerned: (app: Application) => boolean): void {
    const { all, ask } = this.#deps;
    for (const app of all())
      if (isConcerned(app)) ask(keyOfApp(app), level, isFailing(app) ? 'prompt' : 'bulk');
  }

  #serverOf({ spec }: Application): string | undefined {
    try {
      return this.#deps.clusters.resolve(spec.destination).server;
    } catch {
      return undefined; // told by a condition
    }
  }
}

const isFailing = ({ status }: Application): boolean =>
  status?.conditions?.some(({ type }) => type.endsWith('Error')) ?? false;
