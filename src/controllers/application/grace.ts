import type { Refresh } from '#engine';
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
    if (level === 'resolved' || !app.status?.sync) return false;
    const key = keyOfApp(app);
    const since = this.#since.get(key) ?? now.getTime();
    this.#since.set(key, since);
    return now.getTime() - since < this.#periodMs();
  }

  succeeded(app: Application): void {
    this.#since.delete(keyOfApp(app));
  }
}
