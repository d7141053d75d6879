import { type Application, effectiveSources, projectName } from '#base/model';
import { equal } from '#base/std';
import { type Refresh, repositoryGrace } from '#engine';
import { keyOfApp } from '../applications.ts';

/**
 * compat engine R-20: a failing repository has a grace period before its applications become Unknown, unless a user requested
 * the refresh. Kept by qualified name, in memory: a restart restarts the period.
 */
export class RepositoryGrace {
  readonly #since = new Map<string, number>();
  readonly #compared = new Map<string, Inputs>();
  readonly #periodMs: () => number;

  constructor(periodMs: () => number) {
    this.#periodMs = periodMs;
  }

  /** True while the failure is too recent to be reported. */
  isExcused(app: Application, { level }: Refresh, now: Date): boolean {
    // a new application has no status yet, and its user waits for the first one
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
   * Whether this process made the last successful comparison, with the current spec and project. The status cannot say: a
   * failed comparison records its spec there, beside the revision of the one before.
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

/** The inputs of a comparison besides the revision and the cluster. */
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
