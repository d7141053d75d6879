import { printTime, type Repository } from '#base/model';
import { type Ctx, FairleadError, Lru, Semaphore, SingleFlight, sha256, within } from '#base/std';
import type { ConnectionState } from '#serve/api';

/** compat server §2.8 */
const validMs = 3 * 60_000;
/** A host that does not respond must not hold up the list of all repositories. */
const answerMs = 15_000;
const concurrently = 20;

/** Whether repositories can be reached, tested at most every three minutes for each repository and its credentials. */
export class ConnectionTests {
  readonly #probe: (ctx: Ctx, repository: Repository) => Promise<void>;
  readonly #known = new Lru<{ readonly state: ConnectionState; readonly at: number }>({ capacity: 10_000 });
  readonly #flights = new SingleFlight<ConnectionState>();
  readonly #limit = new Semaphore(concurrently);

  constructor(probe: (ctx: Ctx, repository: Repository) => Promise<void>) {
    this.#probe = probe;
  }

  /** The last result, or a new one when that is old or `fresh` is wanted. */
  async state(ctx: Ctx, repository: Repository, fresh: boolean): Promise<ConnectionState> {
    const key = sha256(JSON.stringify(repository));
    const known = this.#known.get(key);
    if (!fresh && known && ctx.clock.now().getTime() - known.at < validMs) return known.state;
    return this.#flights.run(ctx, key, (shared) =>
      this.#limit.run(shared.signal, async () => {
        const state = await this.#test(shared, repository);
        this.#known.set(key, { state, at: shared.clock.now().getTime() });
        return state;
      }),
    );
  }

  async #test(ctx: Ctx, repository: Repository): Promise<ConnectionState> {
    const attemptedAt = printTime(ctx.clock.now());
    try {
      await this.require(ctx, repository);
      return { status: 'Successful', message: '', attemptedAt };
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      return { status: 'Failed', message: FairleadError.from(error).message, attemptedAt };
    }
  }

  /** Throws why a repository cannot be reached now. */
  async require(ctx: Ctx, repository: Repository): Promise<void> {
    if (repository.problem) throw new FairleadError('InvalidSpec', repository.problem);
    const bounded = within(ctx, answerMs);
    await this.#probe(bounded, repository).catch((error: unknown) => {
      const isLate = bounded.signal.aborted && !ctx.signal.aborted;
      throw isLate ? new FairleadError('Unavailable', `no answer within ${answerMs / 1000} seconds`) : error;
    });
  }
}
