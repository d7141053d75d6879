import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent, within } from '#base/std';
import { type RunCommand, run } from './run.ts';

const stop = new AbortController();
const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
const limits = { ms: 8_000, stdoutBytes: 1 << 20, stderrBytes: 1 << 16 };
let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fairlead-exec-'));
});
afterAll(() => rm(cwd, { recursive: true }));

const sh = (script: string, more: Partial<RunCommand> = {}): RunCommand => ({
  program: '/bin/sh',
  args: ['-c', script],
  cwd,
  env: { PATH: '/usr/bin:/bin' },
  limits,
  ...more,
});
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A killed orphan may stay a zombie where nobody reaps it; a zombie runs no more. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return false;
  return !/\) Z /.test(readFileSync(stat, 'utf8'));
}

test('returns the exit code, stdout and stderr of a program', async () => {
  const { code, stdout, stderr } = await run(ctx, sh('printf out; printf err >&2; exit 3'));
  expect({ code, stdout: text(stdout), stderr }).toEqual({ code: 3, stdout: 'out', stderr: 'err' });
});

test('invariant 1: a program sees only the environment it was given', async () => {
  const { stdout } = await run(ctx, sh('/usr/bin/env', { env: { ONLY: 'this' } }));
  const names = text(stdout).match(/^\w+(?==)/gm) ?? [];
  const ofTheShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  expect(names.filter((name) => !ofTheShell.includes(name))).toEqual(['ONLY']);
});

test('feeds stdin, more of it than a pipe holds', async () => {
  const stdin = 'x'.repeat(300_000);
  const { stdout } = await run(ctx, sh('cat', { stdin }));
  expect(stdout.length).toBe(300_000);
});

test('a program that does not read its input may still succeed', async () => {
  expect((await run(ctx, sh('exit 0', { stdin: 'x'.repeat(300_000) }))).code).toBe(0);
});

test('a program that a signal ended has the code a shell would give', async () => {
  expect((await run(ctx, sh('kill -9 $$'))).code).toBe(137);
});

test('invariant 3: the deadline ends the program and names itself', async () => {
  const late = run(ctx, sh('sleep 60', { limits: { ...limits, ms: 50 } }));
  await expect(late).rejects.toMatchObject({
    code: 'LimitExceeded',
    message: 'sh was stopped: it ran longer than 50 ms',
  });
});

test.each(['stdout', 'stderr'] as const)('invariant 3: too much on %s ends the program', async (pipe) => {
  const flood = sh(`exec yes ${pipe === 'stderr' ? '>&2' : ''}`, {
    limits: { ...limits, stdoutBytes: 5000, stderrBytes: 5000 },
  });
  await expect(run(ctx, flood)).rejects.toMatchObject({
    code: 'LimitExceeded',
    message: `sh was stopped: it wrote more than 5000 bytes to ${pipe}`,
  });
});

test('invariant 2: descendants die with the program, also those that ignore SIGTERM', async () => {
  const script =
    'trap "" TERM; (trap "" TERM; sleep 61) & echo $! > child; echo $$ > leader; sleep 62; sleep 63';
  await expect(run(ctx, sh(script, { limits: { ...limits, ms: 300 } }))).rejects.toThrow('300 ms');
  for (const file of ['child', 'leader']) {
    expect(isRunning(Number(await readFile(join(cwd, file), 'utf8')))).toBe(false);
  }
});

test('invariant 2: what a program leaves behind when it ends is killed, and does not hold us up', async () => {
  const { code } = await run(ctx, sh('sleep 64 & echo $! > orphan'));
  expect(code).toBe(0);
  const orphan = Number(await readFile(join(cwd, 'orphan'), 'utf8'));
  // the signal was sent; the kernel takes its own time to carry it out
  await expect.poll(() => isRunning(orphan)).toBe(false);
});

test('a daemon that leaves the group does not hold us up through an inherited pipe', async () => {
  const { stdout } = await run(
    ctx,
    sh('setsid --fork sh -c "touch away; exec sleep 4"; while [ ! -e away ]; do :; done; echo started'),
  );
  expect(text(stdout)).toBe('started\n');
});

test('an abort stops the program and keeps its own reason; a deadline of the caller is a limit', async () => {
  const mine = new AbortController();
  const running = run({ ...ctx, signal: mine.signal }, sh('sleep 65'));
  mine.abort(new Error('shutting down'));
  await expect(running).rejects.toThrow('shutting down');
  await expect(run({ ...ctx, signal: mine.signal }, sh('true'))).rejects.toThrow('shutting down');
  await expect(run(within(ctx, 30), sh('sleep 66'))).rejects.toMatchObject({ code: 'LimitExceeded' });
});

test('says what is wrong with a program that cannot be started', async () => {
  const missing = run(ctx, sh('', { program: '/nowhere/frobnicate' }));
  await expect(missing).rejects.toMatchObject({
    code: 'NotFound',
    message: 'no program frobnicate: install it or configure its path',
  });
  const folder = run(ctx, sh('', { cwd: join(cwd, 'no-such-folder') }));
  await expect(folder).rejects.toMatchObject({
    code: 'NotFound',
    message: 'the folder to run sh in does not exist',
  });
  await writeFile(join(cwd, 'plain'), '#!/bin/sh\n', { mode: 0o644 });
  await expect(run(ctx, sh('', { program: join(cwd, 'plain') }))).rejects.toMatchObject({
    code: 'PermissionDenied',
  });
  await expect(run(ctx, sh('a\0b'))).rejects.toMatchObject({ code: 'InvalidSpec' });
  await expect(run(ctx, sh('x'.repeat(4_000_000)))).rejects.toMatchObject({ code: 'LimitExceeded' });
});

test('invariant 3: memory is limited, for the program and for all it starts', async () => {
  const limit = async (script: string, memoryMb?: number): Promise<string> =>
    text((await run(ctx, sh(script, memoryMb === undefined ? {} : { memoryMb }))).stdout).trim();
  expect(await limit('ulimit -v', 100)).toBe(String(100 * 1024));
  expect(await limit('sh -c "ulimit -v"', 100)).toBe(String(100 * 1024));
  expect(await limit('ulimit -v')).toBe(String(5120 * 1024)); // nobody said anything
  const greedy = `exec '${process.execPath}' -e 'Buffer.alloc(3e9, 1)'`;
  expect((await run(ctx, sh(greedy, { memoryMb: 2048 }))).code).not.toBe(0);
});

test('a program that is found by its name is looked for in its own PATH', async () => {
  expect((await run(ctx, sh('', { program: 'sh', args: ['-c', 'exit 3'] }))).code).toBe(3);
  const lost = run(ctx, sh('', { program: 'sh', env: { PATH: cwd } }));
  await expect(lost).rejects.toMatchObject({ code: 'NotFound' });
});

test('a program that is still being written is waited for', async () => {
  const program = join(cwd, 'late');
  await writeFile(program, '#!/bin/sh\nexit 5\n', { mode: 0o755 });
  const file = await open(program, 'r+');
  const running = run(ctx, sh('', { program, args: [] }));
  await file.close();
  expect((await running).code).toBe(5);
});
