import { createHash } from 'node:crypto';
import { type Application, effectiveSources, projectName } from '#base/model';
import { type Ctx, equal, type Records } from '#base/std';
import { type Refresh, repositoryGrace } from '#engine';
import { keyOfApp } from '../applications.ts';

/** The last successful comparison of an application: of which object, with which inputs, at which revisions. */
export type ComparisonRecord = {
  readonly uid: string;
  readonly inputs: string;
  readonly revisions: readonly string[];
};

/**
 * compat engine R-20: a failing repository has a grace period before its applications become Unknown, unless a user requested
 * the refresh. Kept by qualified name, in memory: a restart restarts the period. What was compared last is recorded for the
 * process after this one.
 */
export class RepositoryGrace {
  readonly #since = new Map<string, number>();
  readonly #compared = new Map<string, Inputs>();
  readonly #periodMs: () => number;
  readonly #records: Records<ComparisonRecord> | undefined;

  constructor(periodMs: () => number, records?: Records<ComparisonRecord>) {
    this.#periodMs = periodMs;
    this.#records = records;
  }

  /** True while the failure is too recent to be reported. */
  isExcused(app: Application, { level }: Refresh, now: Date): boolean {
    // nothing that was compared is lost: a new application has no status yet, and the reason of another failure may be gone
    if ((app.status?.sync?.status ?? 'Unknown') === 'Unknown') return false;
    const key = keyOfApp(app);
    const known = this.#since.get(key);
    const { excused, since } = repositoryGrace(known, { level, now, periodMs: this.#periodMs() });
    if (since !== undefined) this.#since.set(key, since);
    return excused;
  }

  /** `revisions` are those that the comparison puts into the status. */
  succeeded(ctx: Ctx, app: Application, revisions: readonly string[]): void {
    const key = keyOfApp(app);
    this.#since.delete(key);
    const inputs = inputsOf(app);
    this.#compared.set(key, inputs);
    this.#records?.put(ctx, key, { uid: app.metadata.uid ?? '', inputs: digestOf(inputs), revisions });
  }

  /**
   * Whether this process made the last successful comparison, with the current spec and project. The status cannot say: a
   * failed comparison records its spec there, beside the revision of the one before.
   */
  wasCompared(app: Application): boolean {
    return equal(this.#compared.get(keyOfApp(app)), inputsOf(app));
  }

  /** The same, or the process before this one made it and this one has made none. */
  wasEverCompared(ctx: Ctx, app: Application): boolean {
    const key = keyOfApp(app);
    if (this.#compared.has(key)) return this.wasCompared(app);
    const record = this.#records?.get(ctx, key);
    const now = { uid: app.metadata.uid ?? '', inputs: digestOf(inputsOf(app)), revisions: revisionsOf(app) };
    return record !== undefined && equal(record, now);
  }

  /** The application was deleted. */
  forget(ctx: Ctx, app: Application): void {
    this.#since.delete(keyOfApp(app));
    this.#compared.delete(keyOfApp(app));
    this.#records?.delete(ctx, keyOfApp(app));
  }
}

/** The revisions in the status, one for each source. */
export function revisionsOf({ status }: Pick<Application, 'status'>): readonly string[] {
  const { revision, revisions } = status?.sync ?? {};
  return revisions ?? (revision ? [revision] : []);
}

/** Parameters may be secret, so they are recorded as a digest. */
const digestOf = (inputs: Inputs): string =>
  createHash('sha256').update(JSON.stringify(inputs)).digest('base64');

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
