import { type Application, projectName } from '#base/model';
import { equal } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { LiveCluster, ObjectChange } from '#control/live';
import { type Tracking, trackedBy } from '#engine';
import { keyOfApp } from '../applications.ts';

type Deps = {
  readonly world: Pick<ComparisonDeps, 'clusters' | 'namespace' | 'projects' | 'settings'>;
  all(): readonly Application[];
};

/** Who deploys to a namespace. */
type Watcher = { readonly key: string; readonly destination: Application['spec']['destination'] };

/**
 * compat T-8, §2.3: who is to be told when an object that nobody declares comes or goes: the applications that deploy to
 * its namespace under a project that watches for such objects. Mostly there are none, and then a change costs nothing.
 */
export class OrphanWatch {
  readonly #deps: Deps;
  #byNamespace: Map<string, Watcher[]> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** An application that came, went or was changed may watch something else; not one whose status was written. */
  hear({ before, after }: ObjectChange): void {
    if (!equal((before as Application | undefined)?.spec, (after as Application | undefined)?.spec))
      this.forget();
  }

  /** A project is another one now: who watches what is found out anew when it is asked for. */
  forget(): void {
    this.#byNamespace = undefined;
  }

  /** The keys of the applications whose orphans a change adds to, or takes from. */
  concerned({ server }: LiveCluster, change: ObjectChange): string[] {
    this.#byNamespace ??= this.#watchers();
    if (this.#byNamespace.size === 0) return [];
    const { namespace, ownerReferences } = (change.after ?? change.before)?.metadata ?? {};
    const watchers = (namespace && this.#byNamespace.get(namespace)) || [];
    if (watchers.length === 0 || ownerReferences?.length) return [];
    if (!isArrival(change, this.#deps.world.settings().tracking)) return [];
    return watchers.filter((one) => this.#serverOf(one) === server).map(({ key }) => key);
  }

  #watchers(): Map<string, Watcher[]> {
    const { world, all } = this.#deps;
    const found = new Map<string, Watcher[]>();
    for (const app of all()) {
      const { namespace } = app.spec?.destination ?? {};
      const project = world.projects.get(world.namespace, projectName(app));
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
      return this.#deps.world.clusters.resolve(destination).server;
    } catch {
      return undefined; // told by a condition
    }
  }
}

/** It came, it went, or it changed hands: whatever else changes about an object makes it no more and no less an orphan. */
function isArrival({ before, after }: ObjectChange, tracking: Tracking): boolean {
  if (!before || !after) return true;
  return trackedBy(before, tracking) !== trackedBy(after, tracking);
}
