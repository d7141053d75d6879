import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Ctx } from '#std';

/**
 * Yields once when the watch stands, then whenever a ref of a local repository has come to point elsewhere. The
 * file system tells us; there is no polling and no waiting for silence: after a stir the refs are read, and only a
 * difference counts.
 */
export async function* watchRefs(ctx: Ctx, workTree: string): AsyncGenerator<void> {
  const bell = new Bell();
  const watchers = new Map<string, FSWatcher>();
  const onAbort = (): void => bell.ring();
  ctx.signal.addEventListener('abort', onAbort);
  try {
    const dirs = await gitDirs(workTree);
    let seen: string | undefined;
    while (!ctx.signal.aborted) {
      bell.clear();
      await watchAll(watchers, dirs, () => bell.ring());
      const now = await fingerprint(dirs);
      const moved = now !== seen;
      seen = now;
      if (moved) yield;
      if (!ctx.signal.aborted) await bell.rung();
    }
  } finally {
    ctx.signal.removeEventListener('abort', onAbort);
    for (const watcher of watchers.values()) watcher.close();
  }
}

/** Remembers that something stirred until somebody looks. */
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

  async rung(): Promise<void> {
    if (this.#ringing) return;
    await new Promise<void>((resolve) => {
      this.#listener = resolve;
    });
    this.#listener = undefined;
  }
}

type GitDirs = { readonly own: string; readonly common: string };

/** Where HEAD is and where the refs are: two places for a linked work tree, one for any other repository. */
async function gitDirs(path: string): Promise<GitDirs> {
  const own = await gitDirOf(path);
  const common = await readFile(join(own, 'commondir'), 'utf8').catch(() => '.');
  return { own, common: resolve(own, common.trim()) };
}

async function gitDirOf(path: string): Promise<string> {
  const dotGit = join(path, '.git');
  const found = await stat(dotGit).catch(() => undefined);
  if (found?.isDirectory()) return dotGit;
  if (!found) return path;
  const pointer = /^gitdir: (.*)$/m.exec(await readFile(dotGit, 'utf8'))?.[1] ?? '.';
  return resolve(dirname(dotGit), pointer.trim());
}

/** Folders that come and go are watched as they come; a folder that is gone takes its watcher with it. */
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

/** All that can make a ref point elsewhere. Git replaces these files whole, so no half-written one is ever read. */
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
