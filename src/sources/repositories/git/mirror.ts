import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Ctx, FairleadError, joined, Lru, realClock } from '#base/std';
import { type GitProgram, runGit } from './command.ts';
import { type Commit, readCommit } from './commit.ts';
import { ObjectReader } from './objects.ts';
import type { ReaderPool } from './reader-pool.ts';
import { type TreeLimits, TreeReader } from './tree.ts';

export type MirrorLimits = {
  readonly tree: TreeLimits;
  /** Bytes one file may have. */
  readonly fileBytes: number;
  /** Timeout of a program that reads objects. */
  readonly silentMs: number;
  readonly pool: ReaderPool;
};

/** Packs a mirror may collect before they are joined. */
const mostPacks = 50;
const noteEveryMs = 600_000;
const weighEveryMs = 250;

/**
 * The bare copy of one repository. It appears complete or not at all; leftovers of a killed process are removed when it
 * is first opened; a damaged mirror is recreated.
 */
export class Mirror {
  readonly dir: string;
  readonly contents: ObjectReader;
  readonly sizes: ObjectReader;
  readonly trees: TreeReader;
  /** Recently read commits; like all of Git's objects they never change. */
  readonly commits = new Lru<Commit>({ capacity: 1000 });
  readonly #program: GitProgram;
  #ready: Promise<void> | undefined;
  #lane: Promise<unknown> = Promise.resolve();
  /** Resolves when the previous copy has been removed. */
  #going: Promise<void> = Promise.resolve();
  #opened = 0;
  #noted = 0;

  /** `ctx` is that of the process, not of a caller: the programs that read objects run until it ends. */
  constructor(ctx: Ctx, program: GitProgram, dir: string, limits: MirrorLimits) {
    this.dir = dir;
    this.#program = program;
    const { silentMs, pool } = limits;
    const reading = { gitDir: dir, silentMs, pool };
    this.contents = new ObjectReader(ctx, program, { ...reading, read: 'contents', most: limits.fileBytes });
    this.sizes = new ObjectReader(ctx, program, { ...reading, read: 'sizes', most: 0 });
    this.trees = new TreeReader(this.contents, this.sizes, limits.tree);
  }

  /** Creates the mirror if it is missing. Idempotent. */
  async ready(ctx: Ctx): Promise<void> {
    this.#opened = ctx.clock.now().getTime();
    await this.#standing(ctx);
    await this.#note();
  }

  /** When it was last opened or read from, by this process or one before it. */
  async lastUsed(): Promise<number> {
    const noted = await stat(join(this.dir, wholeMark)).catch(() => undefined);
    return Math.max(this.#opened, this.contents.lastRequested, this.sizes.lastRequested, noted?.mtimeMs ?? 0);
  }

  /**
   * Removes the copy from disk unless it was used after `since`; the next use recreates it. Moved aside first, so that
   * a crash leaves no partial copy under its name.
   */
  async evict(since: number): Promise<boolean> {
    return this.alone(async () => {
      if ((await this.lastUsed()) > since) return false;
      const gone = this.#remove();
      this.#ready = undefined;
      this.#going = gone.catch(() => {}); // the next use finds and removes leftovers
      await gone;
      return true;
    });
  }

  #standing(ctx: Ctx): Promise<void> {
    if (!this.#ready) {
      this.#ready = this.#going.then(() => this.#adopt(ctx));
      this.#ready.catch(() => {
        this.#ready = undefined;
      });
    }
    return this.#ready;
  }

  /** A commit, also one behind an annotated tag; undefined when the mirror does not have it. */
  async commit(hash: string): Promise<Commit | undefined> {
    const known = this.commits.get(hash) ?? (await readCommit(this.contents, hash));
    if (known) this.commits.set(hash, known);
    return known;
  }

  /** Runs work that changes the mirror, one at a time. Readers never wait for it. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#lane.then(work, work);
    this.#lane = turn.catch(() => {});
    return turn;
  }

  /** Deletes the copy and creates an empty one. Only from within `alone`. */
  async rebuild(ctx: Ctx): Promise<void> {
    await this.#remove();
    await this.#create(ctx);
  }

  /** Joins packs once there are many. Only from within `alone`; a failure costs speed, not correctness. */
  async tidy(ctx: Ctx): Promise<void> {
    const packs = (await readdir(join(this.dir, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
    if (packs.length < mostPacks) return;
    // readers keep their open packs, and search the new ones when an object is no longer there
    for (const args of [
      ['repack', '--geometric=2', '-d', '--quiet'],
      ['pack-refs', '--all'],
    ]) {
      const { code, stderr } = await runGit(ctx, this.#program, { gitDir: this.dir, args, ms: 600_000 });
      if (code !== 0) ctx.log.debug('mirror not tidied', { stderr });
    }
  }

  /**
   * Runs a fetch and measures its size: a server that never stops sending is cut off with LimitExceeded. Partial data
   * is removed. Only from within `alone`. Calls `heard` when more has arrived.
   */
  async watched<Value>(
    ctx: Ctx,
    { most, heard }: { readonly most: number; heard(): void },
    fetch: (ctx: Ctx) => Promise<Value>,
  ): Promise<Value> {
    const stop = new AbortController();
    const done = new AbortController();
    const { signal, release } = joined(ctx.signal, stop.signal);
    const watching = this.#watch(done.signal, (size, before) => {
      if (size > before) heard();
      if (size > most) stop.abort(tooMuch(most));
    });
    try {
      return await fetch({ ...ctx, signal });
    } finally {
      release();
      done.abort();
      await watching;
      await this.#clearPartial();
    }
  }

  async #watch(done: AbortSignal, weighed: (size: number, before: number) => void): Promise<void> {
    for (let before = 0; ; ) {
      // the network runs in real time, whatever the clock of its caller
      await realClock.sleep(weighEveryMs, done).catch(() => {});
      if (done.aborted) return;
      const sizes = await Promise.all((await this.#partial()).map(sizeOf));
      const size = sizes.reduce((sum, one) => sum + one, 0);
      weighed(size, before);
      before = size;
    }
  }

  async #partial(): Promise<string[]> {
    const packs = join(this.dir, 'objects/pack');
    const names = await readdir(packs).catch(() => []);
    return names.filter((name) => name.startsWith('tmp_')).map((name) => join(packs, name));
  }

  async #clearPartial(): Promise<void> {
    await Promise.all((await this.#partial()).map((path) => rm(path, { force: true })));
  }

  /** Ends the programs that read objects; the next read starts them again. */
  async close(): Promise<void> {
    await Promise.all([this.contents.close(), this.sizes.close()]);
  }

  async #remove(): Promise<void> {
    await this.close();
    this.trees.clear();
    this.commits.clear();
    const aside = `${this.dir}.old-${randomUUID()}`;
    await rename(this.dir, aside).catch(ignoreMissing);
    await removed(aside);
  }

  /** Written at intervals, for the next process. */
  async #note(): Promise<void> {
    if (this.#opened - this.#noted < noteEveryMs) return;
    this.#noted = this.#opened;
    const at = new Date(this.#opened);
    await utimes(join(this.dir, wholeMark), at, at).catch(ignoreMissing);
  }

  async #adopt(ctx: Ctx): Promise<void> {
    await mkdir(dirname(this.dir), { recursive: true, mode: 0o700 });
    await this.#clearTemporary();
    if (await isWhole(this.dir)) await clearLeftovers(this.dir);
    else {
      await removed(this.dir);
      await this.#create(ctx);
    }
  }

  /** Created aside and moved into place, so that no partial mirror is ever found under the real name. */
  async #create(ctx: Ctx): Promise<void> {
    const fresh = `${this.dir}.new-${randomUUID()}`;
    const args = ['init', '--bare', '--quiet', '--template=', '--', fresh];
    const { code, stderr } = await runGit(ctx, this.#program, { args, ms: 30_000 });
    if (code !== 0) {
      await rm(fresh, { recursive: true, force: true });
      throw new FairleadError(
        'Unavailable',
        `a mirror cannot be made: check the disk of the cache directory`,
        stderr,
      );
    }
    await writeFile(join(fresh, wholeMark), '');
    await rename(fresh, this.dir);
  }

  async #clearTemporary(): Promise<void> {
    const mine = `${basename(this.dir)}.`;
    for (const name of await readdir(dirname(this.dir))) {
      // a git that outlived its killed parent may still be writing there; leftovers are swept later
      if (name.startsWith(mine)) await removed(join(dirname(this.dir), name)).catch(() => {});
    }
  }
}

const tooMuch = (most: number): FairleadError =>
  new FairleadError('LimitExceeded', `a fetch was stopped: it brought more than ${most} bytes`);

/** Written last when a mirror is created. */
const wholeMark = 'fairlead-mirror';

async function isWhole(dir: string): Promise<boolean> {
  try {
    await Promise.all([wholeMark, 'config', 'objects', 'refs'].map((name) => access(join(dir, name))));
    // a crash may leave an empty file; git then rejects the folder as no repository, and every read fails
    return (await readFile(join(dir, 'HEAD'), 'utf8')).startsWith('ref: refs/');
  } catch {
    return false;
  }
}

/** Leftovers of a killed git: stale locks and partial packs. */
async function clearLeftovers(dir: string): Promise<void> {
  const top = (await readdir(dir)).filter((name) => name.endsWith('.lock'));
  const refs = (await readdir(join(dir, 'refs'), { recursive: true })).filter((name) =>
    name.endsWith('.lock'),
  );
  const packs = (await readdir(join(dir, 'objects/pack')).catch(() => [])).filter((name) =>
    name.startsWith('tmp_'),
  );
  const leftovers = [
    ...top,
    ...refs.map((name) => join('refs', name)),
    ...packs.map((name) => join('objects/pack', name)),
  ];
  await Promise.all(leftovers.map((name) => rm(join(dir, name), { force: true })));
}

const removed = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The folder of the mirrors, each in a folder named by a hash, which reveals nothing of the URL. */
export const mirrorsDir = (cacheDir: string): string => join(cacheDir, 'git');

export function mirrorDir(cacheDir: string, key: string): string {
  return join(mirrorsDir(cacheDir), `${createHash('sha256').update(key).digest('hex').slice(0, 40)}.git`);
}
