import type { Application } from '#base/model';
import { keyOfApp } from '../applications.ts';

/**
 * compat engine S-14: an operation pauses after each wave, and cluster events do not resume it, or the pause would end with
 * the first event. Kept in memory: after a restart the controller does not pause again.
 */
export class WavePauses {
  readonly #until = new Map<string, number>();

  begin(key: string, now: Date, ms: number): void {
    this.#until.set(key, now.getTime() + ms);
  }

  /** How long an application's operation still pauses; zero if it is to be terminated or is another operation by now. */
  leftMs(app: Application, now: Date): number {
    const key = keyOfApp(app);
    const left = (this.#until.get(key) ?? 0) - now.getTime();
    if (left > 0 && app.operation && app.status?.operationState?.phase === 'Running') return left;
    this.#until.delete(key);
    return 0;
  }
}
