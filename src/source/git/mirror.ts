import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Ctx, FairleadError, Lru } from '#std';
import { type GitProgram, runGit } from './command.ts';
import { type Commit, readCommit } from './commit.ts';
import { ObjectReader } from './objects.ts';
import { type TreeLimits, TreeReader } from './tree.ts';

export type MirrorLimits = {
  readonly tree: TreeLimits;
  /** Bytes one file may have. */
  readonly fileBytes: number;
};

/** Packs a mirror may gather before they are joined. */
const mostPacks = 50;

/**
 * The bare copy of one repository. It appears whole or not at all; what a killed process left in it is cleared
 * away when it is first opened; when it turns out damaged it is made anew.
 */
export class Mirror {
  readonly dir: string;
  readonly contents: ObjectReader;
  readonly sizes: ObjectReader;
  readonly trees: TreeReader;
  /** Commits read lately; like all of Git's objects they never change. */
  readonly commits = new Lru<Commit>({ capacity: 1000 });
  readonly #program: GitProgram;
  #ready: Promise<void> | undefined;
  #lane: Promise<unknown> = Promise.resolve();
  #fetches = 0;

  /** `ctx` is that of the house, not of a caller: the programs that read objects live until it ends. */
  constructor(ctx: Ctx, program: GitProgram, dir: string, limits: MirrorLimits) {
    this.dir = dir;
    this.#program = program;
    this.contents = new ObjectReader(ctx, program, { gitDir: dir, read: 'contents', most: limits.fileBytes });
    this.sizes = new ObjectReader(ctx, program, { gitDir: dir, read: 'sizes', most: 0 });
    this.trees = new TreeReader(this.contents, this.sizes, limits.tree);
  }

  /** Makes sure there is something to read from. Safe to repeat. */
  ready(ctx: Ctx): Promise<void> {
    if (!this.#ready) {
      this.#ready = this.#adopt(ctx);
      this.#ready.catch(() => {
        this.#ready = undefined;
      });
    }
    return this.#ready;
  }

  /** A commit, also one behind an annotated tag; undefined when it is not here. */
  async commit(hash: string): Promise<Commit | undefined> {
    const known = this.commits.get(hash) ?? (await readCommit(this.contents, hash));
    if (known) this.commits.set(hash, known);
    return known;
  }

  /** Runs what changes the mirror, one at a time. Readers never wait for it. */
  alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#lane.then(work, work);
    this.#lane = turn.catch(() => {});
    return turn;
  }

  /** Throws the copy away and begins an empty one. Only from within `alone`. */
  async rebuild(ctx: Ctx): Promise<void> {
    await this.close();
    this.trees.clear();
    this.commits.clear();
    const broken = `${this.dir}.broken-${randomUUID()}`;
    await rename(this.dir, broken).catch(ignoreMissing);
    await rm(broken, { recursive: true, force: true });
    await this.#create(ctx);
  }

  /** Joins packs once there are many. Only from within `alone`; a failure costs speed, not truth. */
  async tidy(ctx: Ctx): Promise<void> {
    this.#fetches += 1;
    if (this.#fetches % mostPacks !== 0) return;
    const packs = (await readdir(join(this.dir, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
    if (packs.length < mostPacks) return;
    const args = ['repack', '--geometric=2', '-d', '--quiet'];
    const { code, stderr } = await runGit(ctx, this.#program, { gitDir: this.dir, args, ms: 600_000 });
    if (code !== 0) ctx.log.debug('mirror not repacked', { stderr });
  }

  /** Ends the programs that read objects; the next read starts them again. */
  async close(): Promise<void> {
    await Promise.all([this.contents.close(), this.sizes.close()]);
  }

  async #adopt(ctx: Ctx): Promise<void> {
    await mkdir(dirname(this.dir), { recursive: true, mode: 0o700 });
    await this.#clearTemporary();
    if (await isWhole(this.dir)) await clearLeftovers(this.dir);
    else {
      await rm(this.dir, { recursive: true, force: true });
      await this.#create(ctx);
    }
  }

  /** Made aside and moved into place, so that no half-made mirror is ever found under the real name. */
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
      if (name.startsWith(mine)) await rm(join(dirname(this.dir), name), { recursive: true, force: true });
    }
  }
}

/** Written last when a mirror is made. */
const wholeMark = 'fairlead-mirror';

async function isWhole(dir: string): Promise<boolean> {
  try {
    await Promise.all(
      [wholeMark, 'HEAD', 'config', 'objects', 'refs'].map((name) => access(join(dir, name))),
    );
    return true;
  } catch {
    return false;
  }
}

/** What a killed git leaves: locks that nobody holds and packs that never arrived. */
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

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Where the mirror of a repository lies. Nothing of its URL can be read from the name. */
export function mirrorDir(cacheDir: string, key: string): string {
  return join(cacheDir, 'git', `${createHash('sha256').update(key).digest('hex').slice(0, 40)}.git`);
}
