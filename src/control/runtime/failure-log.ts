import { type Ctx, FailureNews, type FairleadError } from '#base/std';

/** Logs the outcome of passes: a failure while it is news, and the success that ends it. */
export class FailureLog<Key extends string> {
  readonly #failing = new FailureNews<Key>();

  failed({ log, clock }: Pick<Ctx, 'log' | 'clock'>, key: Key, error: FairleadError): void {
    const isNews = this.#failing.isNews(key, `${error.code} ${error.message}`, clock.now());
    log[isNews ? 'warn' : 'debug']('reconcile failed', { error, retry: !error.terminal });
  }

  succeeded({ log }: Pick<Ctx, 'log'>, key: Key): void {
    if (this.#failing.ended(key)) log.info('reconcile succeeded again');
  }
}
