import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand as gitTool } from '../../../../test/manifests.ts';
import { type GitCall, type GitProgram, runGit } from './command.ts';

// Attack 5: no configuration, hook or program of the machine, the user or a repository has a part in a run of git.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let program: GitProgram;
let gitDir: string;
let evil: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const home = join(folder.path, 'home');
  await mkdir(join(home, '.config/git'), { recursive: true });
  program = { command: gitTool().command, home, memoryMb: 3072 };
  gitDir = join(folder.path, 'repository');
  evil = join(folder.path, 'evil.sh');
  await writeFile(evil, `#!/bin/sh\ntouch ${join(folder.path, 'marker')}\n`, { mode: 0o755 });
  await mkdir(gitDir);
  await git({ args: ['init', '--quiet', '--bare', gitDir] });
});
afterAll(() => folder.remove());

const git = (call: Omit<GitCall, 'ms'>) => runGit(ctx, program, { ms: 30_000, ...call });
const isMarked = (): Promise<boolean> =>
  stat(join(folder.path, 'marker')).then(
    () => true,
    () => false,
  );

test.each<[string, () => Promise<Readonly<Record<string, string>>>]>([
  [
    'the machine',
    async () => {
      const file = join(folder.path, 'system');
      await writeFile(file, '[alias]\n  machine = version\n');
      return { GIT_CONFIG_SYSTEM: file };
    },
  ],
  [
    'the user',
    async () => {
      await writeFile(join(program.home, '.gitconfig'), '[alias]\n  user = version\n');
      await writeFile(join(program.home, '.config/git/config'), '[alias]\n  user = version\n');
      return {};
    },
  ],
])('configuration of %s does not apply', async (_whose, written) => {
  const env = await written();
  const { stdout } = await git({ args: ['config', '--list', '--name-only'], env });
  expect(Buffer.from(stdout).toString()).not.toContain('alias.');
});

test('a hook in a mirror is not run', async () => {
  await mkdir(join(gitDir, 'hooks'), { recursive: true });
  await writeFile(join(gitDir, 'hooks/reference-transaction'), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
  const { stdout } = await git({ gitDir, args: ['hash-object', '-w', '--stdin'], input: 'text' });
  const args = ['update-ref', 'refs/tags/blob', Buffer.from(stdout).toString().trim()];
  expect(await git({ gitDir, args })).toMatchObject({ code: 0 });
  expect(await isMarked()).toBe(false);
});

test.each<[string, Partial<GitCall>]>([
  ['of a run that may access nothing', {}],
  ['of a run with access to https', { access: { protocols: ['https'], config: [], env: {} } }],
])('a program instead of a repository is not started: %s', async (_what, more) => {
  const { code } = await git({ args: ['ls-remote', `ext::${evil}`], ...more });
  expect(code).not.toBe(0);
  expect(await isMarked()).toBe(false);
});

test('without access no repository is read, not even one of this machine', async () => {
  expect((await git({ args: ['ls-remote', gitDir] })).code).not.toBe(0);
});
