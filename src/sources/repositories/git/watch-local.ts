import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctx, joined } from '#base/std';
import { type GitDirs, gitDirs } from './local-reach.ts';

/**
 * How often the watch checks that the watched folders are still those at their paths: a watch follows a folder that is
 * moved.
 */
const checkMs = 5_000;

/**
 * Yields once when the watch is established, then whenever a ref of a local repository has changed. It uses file system
 * events without a quiet period: after an event the refs are read, and only a difference counts. Ends when the
 * repository is gone or was replaced, which the caller finds out by watching it again.
 */
export async function* watchRefs(ctx: Ctx, workTree: string): AsyncGenerator<void> {
  const bell = new Bell();
  const watchers = new Map<string, FSWatcher>();
  const onAbort = (): void => bell.ring();
  ctx.signal.addEventListener('abort', onAbort);
  try {
    const dirs = await gitDirs(workTree);
    const identity = await identityOf(workTree, dirs);
    let seen: string | undefined;
    while (!ctx.signal.aborted && identity !== undefined) {
      bell.clear();
      await watchAll(watchers, dirs, () => bell.ring());
      const now = await fingerprint(dirs);
      const moved = now !== seen;
      seen = now;
      if (moved) yield;
      if ((await identityOf(workTree, dirs)) !== identity) return;
      if (!ctx.signal.aborted) await bell.rung(ctx, checkMs);
    }
  } finally {
    ctx.signal.removeEventListener('abort', onAbort);
    for (const watcher of watchers.values()) watcher.close();
  }
}

/** The identities of the folders at the paths of a repository; undefined when one of them is missing. */
async function identityOf(workTree: string, { own, common }: GitDirs): Promise<string | undefined> {
  try {
    const found = await Promise.all([workTree, own, common].map((path) => stat(path)));
    return found.map(({ dev, ino, birthtimeMs }) => `${dev} ${ino} ${birthtimeMs}`).join();
  } catch {
    return undefined;
  }
}

/** Keeps an event until a waiter reads it. */
class Bell {
  #ringing = false;
  #listener: (() => void) | undefined;

  ring(): void {
    this.#ringing = true;
    this.#listener?.();
  }

  clear(): void {
    this.#ringing = false;
  }

  /** Resolves on an event, and at the latest after this time. */
  async rung({ clock, signal }: Ctx, ms: number): Promise<void> {
    if (this.#ringing) return;
    const done = new AbortController();
    const either = joined(signal, done.signal);
    await new Promise<void>((resolve) => {
      this.#listener = resolve;
      clock.sleep(ms, either.signal).then(resolve, () => {});
    });
    done.abort();
    either.release();
    this.#listener = undefined;
  }
}

/** New folders are watched as they appear; the watcher of a deleted folder is closed. */
async function watchAll(watchers: Map<string, FSWatcher>, dirs: GitDirs, onStir: () => void): Promise<void> {
  const wanted = new Set([
    dirs.own,
    dirs.common,
    join(dirs.common, 'reftable'),
    ...(await refDirs(dirs.common)),
  ]);
  for (const [dir, watcher] of watchers) {
    if (wanted.has(dir)) continue;
    watcher.close();
    watchers.delete(dir);
  }
  for (const dir of wanted) {
    if (watchers.has(dir)) continue;
    try {
      const watcher = watch(dir, { persistent: false }, onStir);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(dir);
        onStir();
      });
      watchers.set(dir, watcher);
    } catch {} // gone again, or never there
  }
}

async function refDirs(gitDir: string): Promise<string[]> {
  const refs = join(gitDir, 'refs');
  const entries = await readdir(refs, { recursive: true, withFileTypes: true }).catch(() => []);
  return [
    refs,
    ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)),
  ];
}

/** All files that can change a ref. Git replaces these files whole, so no half-written one is ever read. */
async function fingerprint({ own, common }: GitDirs): Promise<string> {
  const refs = join(common, 'refs');
  const entries = await readdir(refs, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const all = [
    join(own, 'HEAD'),
    join(common, 'packed-refs'),
    join(common, 'reftable/tables.list'),
    ...files,
  ];
  const texts = await Promise.all(all.map((file) => readFile(file, 'utf8').catch(() => '')));
  return all.map((file, at) => `${file} ${texts[at]}`).join('\n');
}
