import { type Application, effectiveSources, projectName } from '#base/model';
import { equal } from '#base/std';
import { type Refresh, repositoryGrace } from '#engine';
import { keyOfApp } from '../applications.ts';

/**
 * compat R-20: a repository that fails is given time before an application is called Unknown for it, unless somebody
 * asked just now. Kept by qualified name, in memory: a restart starts the time anew.
 */
export class RepositoryGrace {
  readonly #since = new Map<string, number>();
  readonly #compared = new Map<string, Inputs>();
  readonly #periodMs: () => number;

  constructor(periodMs: () => number) {
    this.#periodMs = periodMs;
  }

  /** True while the failure is too young to be told. */
  isExcused(app: Application, { level }: Refresh, now: Date): boolean {
    // a new application is looked at for the first time, and somebody waits to hear of it
    if (!app.status?.sync) return false;
    const key = keyOfApp(app);
    const known = this.#since.get(key);
    const { excused, since } = repositoryGrace(known, { level, now, periodMs: this.#periodMs() });
    if (since !== undefined) this.#since.set(key, since);
    return excused;
  }

  succeeded(app: Application): void {
    this.#since.delete(keyOfApp(app));
    this.#compared.set(keyOfApp(app), inputsOf(app));
  }

  /**
   * Whether the last comparison that succeeded was made by this process, with the spec and under the project of now. The
   * status cannot say: a failed comparison records its spec there, beside the revision of the one before.
   */
  wasCompared(app: Application): boolean {
    return equal(this.#compared.get(keyOfApp(app)), inputsOf(app));
  }

  /** The application was deleted. */
  forget(app: Application): void {
    this.#since.delete(keyOfApp(app));
    this.#compared.delete(keyOfApp(app));
  }
}

type Inputs = ReturnType<typeof inputsOf>;

/** What a comparison depends on besides the revision and the cluster. */
function inputsOf(app: Application) {
  const { destination, ignoreDifferences = [], syncPolicy } = app.spec;
  return {
    project: projectName(app),
    sources: effectiveSources(app.spec),
    destination,
    ignoreDifferences,
    namespace: syncPolicy?.managedNamespaceMetadata,
  };
}
