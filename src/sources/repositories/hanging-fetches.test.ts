import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { type HangingGitHosts, hangingGitHosts } from '../../../test/hanging-git-hosts.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

// Decision 30: hosts that list their refs and then never answer a fetch cost the others nothing.

let stop: AbortController;
let ctx: Ctx;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let innocent: GitHttpServer;
let commit: string;
let hanging: HangingGitHosts;
let sources: Sources;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  folder = await temporaryFolder();
  const repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ 'a.yaml': 'a: 1\n' });
  innocent = await gitHttpServer({ root: join(folder.path, 'srv') });
  hanging = await hangingGitHosts(20, commit);
  const reach = { local: [], loopback: true };
  const limits = { fetches: { quick: 4, suspect: 1, slow: 8, slowMs: 250 } };
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand(), reach, limits });
});
afterEach(async () => {
  await sources.close();
  await hanging.close();
  await innocent.close();
  await folder.remove();
});

/** The `git fetch` that this process has started and that still run. */
function fetchesUnderWay(): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const parent = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1];
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return Number(parent) === process.pid && words.includes('fetch');
    } catch {
      return false; // it ended meanwhile
    }
  }).length;
}

test.each([
  ['of one host', 1],
  ['of as many hosts', 20],
])(
  '20 fetches %s hang: a new repository is read meanwhile, and the programs are limited',
  async (_of, hosts) => {
    const urls = Array.from({ length: 20 }, (_one, at) => `${hanging.urls[at % hosts]}/hung-${at}`);
    await Promise.all(urls.map((url) => sources.resolveRevision(ctx, { url }, 'main')));
    const ended: string[] = [];
    const fetching = urls.map((url) =>
      sources.openTree(ctx, { url }, commit).catch((error: Error) => ended.push(error.message)),
    );
    const counts: number[] = [];
    while (ended.length === 0) {
      counts.push(fetchesUnderWay());
      await realClock.sleep(50, ctx.signal);
    }
    const url = `${innocent.url}/repo/.git`;
    expect(await (await sources.openTree(ctx, { url }, commit)).text('a.yaml')).toBe('a: 1\n');
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
    expect(ended[0]).toMatch(/did not answer for \d+ s while many others were waited for/);
    stop.abort(new Error('the test is over'));
    await Promise.all(fetching);
  },
);
