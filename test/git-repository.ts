import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file's text, a symlink, an executable file, or its removal. */
type Write = string | Uint8Array | { symlink: string } | { executable: string } | undefined;

/** A real repository with a work tree in a temporary folder. */
export type GitRepositoryFixture = {
  readonly dir: string;
  git(...args: string[]): Promise<string>;
  /** Writes files, commits everything and returns the commit. */
  commit(files: Readonly<Record<string, Write>>, message?: string): Promise<string>;
};

/** A folder that is removed with everything in it when the test ends. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Makes a repository on branch `main` at `dir`. */
export async function gitRepository(dir: string): Promise<GitRepositoryFixture> {
  await mkdir(dir, { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ann Author',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann Author',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('git', ['-C', dir, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'core.autocrlf', 'false');
  await git('config', 'gc.auto', '0');
  return {
    dir,
    git,
    async commit(files, message = 'change') {
      for (const [path, content] of Object.entries(files)) await write(join(dir, path), content);
      await git('add', '--all', '--force');
      await git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

async function write(path: string, content: Write): Promise<void> {
  await rm(path, { recursive: true, force: true });
  if (content === undefined) return;
  await mkdir(dirname(path), { recursive: true });
  if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(path, content);
  else if ('symlink' in content) await symlink(content.symlink, path);
  else {
    await writeFile(path, content.executable);
    await chmod(path, 0o755);
  }
}
