import type { Ctx, FairleadError } from '#base/std';

/** The same failure of the same key is logged again after this long. */
const repeatMs = 3_600_000;

type Known = { readonly text: string; readonly at: number };

/**
 * Logs the outcome of passes: a failure when it begins, when its text changes and then once an hour, and the success that
 * ends it. A key that fails every few seconds would otherwise flood the log. Keys that succeed take no memory.
 */
export class FailureLog<Key extends string> {
  readonly #failing = new Map<Key, Known>();

  failed({ log, clock }: Pick<Ctx, 'log' | 'clock'>, key: Key, error: FairleadError): void {
    const now = clock.now().getTime();
    const known = this.#failing.get(key);
    const text = `${error.code} ${error.message}`;
    const isNews = known?.text !== text || now - known.at >= repeatMs;
    if (isNews) this.#failing.set(key, { text, at: now });
    log[isNews ? 'warn' : 'debug']('reconcile failed', { error, retry: !error.terminal });
  }

  succeeded({ log }: Pick<Ctx, 'log'>, key: Key): void {
    if (this.#failing.delete(key)) log.info('reconcile succeeded again');
  }
}
