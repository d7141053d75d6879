import { type Refresh, repositoryGrace } from '#engine';
import type { Application } from '#model';
import { keyOfApp } from './store.ts';

/**
 * compat R-20: a repository that fails is given time before an application is called Unknown for it, unless somebody
 * asked just now. Kept by qualified name, in memory: a restart starts the time anew.
 */
export class RepositoryGrace {
  readonly #since = new Map<string, number>();
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
  }
}
