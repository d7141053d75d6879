import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../../test/git-http-server.ts';
import {
  type GitRepositoryFixture,
  gitRepository,
  temporaryFolder,
} from '../../../../test/git-repository.ts';
import { createSources, type Sources } from '../index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const git = { command: execFileSync('which', ['git'], { encoding: 'utf8' }).trim() };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let server: GitHttpServer;
let sources: Sources;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  server = await gitHttpServer({ root: join(folder.path, 'srv') });
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git, reach: { loopback: true } });
});

afterAll(async () => {
  await sources.close();
  await server.close();
  await folder.remove();
});

const listings = (): number => server.requests.filter((line) => line.startsWith('POST ')).length;

test('however many hear of a push, one of them asks, and all of them see it', async () => {
  const repository = { url: `${server.url}/repo/.git` };
  const resolve = async (age: object) => (await sources.resolveRevision(ctx, repository, 'main', age)).commit;
  const first = await repo.commit({ 'a.yaml': 'a: 1\n' });
  expect(await resolve({})).toBe(first);
  const second = await repo.commit({ 'a.yaml': 'a: 2\n' });
  const since = ctx.clock.now().getTime();
  expect(await resolve({})).toBe(first);
  expect(listings()).toBe(1);
  const seen = await Promise.all(Array.from({ length: 20 }, () => resolve({ since })));
  expect(new Set([...seen, await resolve({ since })])).toEqual(new Set([second]));
  expect(listings()).toBe(2);
  expect(await resolve({ since: ctx.clock.now().getTime() + 1 })).toBe(second);
  expect(listings()).toBe(3);
});
