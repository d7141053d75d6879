import type { Application } from '#base/model';
import { keyOfApp } from '../applications.ts';

/**
 * compat S-14: after a wave an operation rests, and what happens in the cluster meanwhile does not wake it, or the rest would
 * last until the first event. Kept in memory: a controller that starts anew has rested long enough.
 */
export class WavePauses {
  readonly #until = new Map<string, number>();

  begin(key: string, now: Date, ms: number): void {
    this.#until.set(key, now.getTime() + ms);
  }

  /** How long an application still rests; nothing where its operation is to be terminated, or is another one by now. */
  leftMs(app: Application, now: Date): number {
    const key = keyOfApp(app);
    const left = (this.#until.get(key) ?? 0) - now.getTime();
    if (left > 0 && app.operation && app.status?.operationState?.phase === 'Running') return left;
    this.#until.delete(key);
    return 0;
  }
}
