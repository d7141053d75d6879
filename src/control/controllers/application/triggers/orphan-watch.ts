import { type Application, projectName } from '#base/model';
import { equal } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { LiveCluster, ObjectChange } from '#control/live';
import { type Tracking, trackedBy } from '#engine';
import { keyOfApp } from '../applications.ts';

type Deps = {
  readonly context: Pick<ComparisonDeps, 'clusters' | 'namespace' | 'projects' | 'settings'>;
  all(): readonly Application[];
};

/** An application that deploys to a namespace. */
type Watcher = { readonly key: string; readonly destination: Application['spec']['destination'] };

/**
 * compat engine T-8, §2.3: finds the applications to refresh when an orphaned object is added or removed: those that deploy
 * to its namespace under a project that watches for orphans. Mostly there are none, and then a change costs nothing.
 */
export class OrphanWatch {
  readonly #deps: Deps;
  #byNamespace: Map<string, Watcher[]> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** An application that was added, removed or changed may watch another namespace; a status write changes nothing. */
  onApplicationChange({ before, after }: ObjectChange): void {
    if (!equal((before as Application | undefined)?.spec, (after as Application | undefined)?.spec))
      this.forget();
  }

  /** A project changed: the watchers are computed again when they are needed. */
  forget(): void {
    this.#byNamespace = undefined;
  }

  /** The keys of the applications whose orphans a change adds or removes. */
  concerned({ server }: LiveCluster, change: ObjectChange): string[] {
    this.#byNamespace ??= this.#watchers();
    if (this.#byNamespace.size === 0) return [];
    const { namespace, ownerReferences } = (change.after ?? change.before)?.metadata ?? {};
    const watchers = (namespace && this.#byNamespace.get(namespace)) || [];
    if (watchers.length === 0 || ownerReferences?.length) return [];
    if (!isArrival(change, this.#deps.context.settings().tracking)) return [];
    return watchers.filter((one) => this.#serverOf(one) === server).map(({ key }) => key);
  }

  #watchers(): Map<string, Watcher[]> {
    const { context, all } = this.#deps;
    const found = new Map<string, Watcher[]>();
    for (const app of all()) {
      const { namespace } = app.spec?.destination ?? {};
      const project = context.projects.get(context.namespace, projectName(app));
      if (!namespace || !project?.spec.orphanedResources) continue;
      const watcher = { key: keyOfApp(app), destination: app.spec.destination };
      const known = found.get(namespace);
      if (known) known.push(watcher);
      else found.set(namespace, [watcher]);
    }
    return found;
  }

  #serverOf({ destination }: Watcher): string | undefined {
    try {
      return this.#deps.context.clusters.resolve(destination).server;
    } catch {
      return undefined; // reported by a condition
    }
  }
}

/** It was added, removed, or changed its owner: no other change makes an object an orphan or ends that. */
function isArrival({ before, after }: ObjectChange, tracking: Tracking): boolean {
  if (!before || !after) return true;
  return trackedBy(before, tracking) !== trackedBy(after, tracking);
}
