import type { Database, RootDatabase } from 'lmdb';
import { FairleadError } from '#std';

/** A change as it goes to the disk; without a value the key goes. */
export type Encoded = {
  readonly raw: Database<Uint8Array, string>;
  readonly key: string;
  readonly value: Uint8Array | undefined;
};

type Waiting = {
  readonly changes: readonly Encoded[];
  readonly resolve: () => void;
  readonly reject: (error: FairleadError) => void;
};

/**
 * One commit at a time; what is written meanwhile shares the next. After a commit that failed nothing is written any more: LMDB
 * spoils the memory of the process when a second one fails, and what is on disk is whole.
 */
export class Commits {
  readonly #root: RootDatabase<Uint8Array, string>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failed: FairleadError | undefined;

  constructor(root: RootDatabase<Uint8Array, string>) {
    this.#root = root;
  }

  /** Resolves when the changes are on disk, all of them; throws Unavailable when they are not, none of them. */
  write(changes: readonly Encoded[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    await undefined; // whatever else is written in this turn comes along
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      this.#failed ??= await this.#commit(group);
      for (const { resolve, reject } of group) {
        if (this.#failed) reject(this.#failed);
        else resolve();
      }
    }
    this.#running = undefined;
  }

  async #commit(group: readonly Waiting[]): Promise<FairleadError | undefined> {
    try {
      await this.#root.batch(() => {
        for (const { raw, key, value } of group.flatMap(({ changes }) => changes)) {
          // each returns a promise of the same commit that batch() answers for
          (value === undefined ? raw.remove(key) : raw.put(key, value)).catch(() => {});
        }
      });
      return undefined;
    } catch (error) {
      const cause = await causeOf(error);
      const reason = cause instanceof Error ? cause.message : String(cause);
      return new FairleadError(
        'Unavailable',
        `the store could not be written: ${reason}; check that the disk of the data directory has room, then start fairlead again: until then nothing is stored`,
        cause,
      );
    }
  }
}

/** Why a commit failed comes as a promise that fails, and would end the process for want of a listener. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}
