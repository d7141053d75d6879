import type { Database, RootDatabase } from 'lmdb';
import { FairleadError } from '#base/std';
import type { DiskReserve } from './disk-reserve.ts';

/** A change as written to the disk; without a value the key is removed. */
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
 * One commit at a time; writes made meanwhile share the next. A commit for which the disk has no room is rejected before LMDB
 * begins it, and the next one is tried. One that fails inside LMDB is the last: LMDB corrupts the memory of the process when
 * a second one fails. The data on disk is intact either way.
 */
export class Commits {
  readonly #root: RootDatabase<Uint8Array, string>;
  readonly #room: DiskReserve;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failed: FairleadError | undefined;

  constructor(root: RootDatabase<Uint8Array, string>, room: DiskReserve) {
    this.#root = root;
    this.#room = room;
  }

  /** Resolves when the changes are on disk, all of them; throws Unavailable when they are not, none of them. */
  write(changes: readonly Encoded[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no write waits. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    await undefined; // writes made in the same tick join this commit
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const error = this.#failed ?? (await this.#commit(group.flatMap(({ changes }) => changes)));
      for (const { resolve, reject } of group) {
        if (error) reject(error);
        else resolve();
      }
    }
    this.#running = undefined;
  }

  async #commit(changes: readonly Encoded[]): Promise<FairleadError | undefined> {
    try {
      this.#room.reserve(changes.map(({ value }) => value?.length ?? 0));
    } catch (error) {
      return refusal(error, 'check that the disk of the data directory has room: writes go on when it has');
    }
    try {
      await this.#root.batch(() => {
        for (const { raw, key, value } of changes) {
          // each returns a promise of the same commit as batch()
          (value === undefined ? raw.remove(key) : raw.put(key, value)).catch(() => {});
        }
      });
      return undefined;
    } catch (error) {
      const wayOut =
        'check that the disk of the data directory has room, then start fairlead again: until then nothing is stored';
      this.#failed = refusal(await causeOf(error), wayOut);
      return this.#failed;
    }
  }
}

function refusal(cause: unknown, wayOut: string): FairleadError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FairleadError('Unavailable', `the store could not be written: ${reason}; ${wayOut}`, cause);
}

/** LMDB passes the cause of a failed commit as a rejected promise, which would end the process without a listener. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}
