import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

// Decision 30: hosts that list their refs and then never answer a fetch cost the others nothing.

let stop: AbortController;
let ctx: Ctx;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let innocent: GitHttpServer;
let commit: string;
let hanging: Hanging;
let sources: Sources;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  folder = await temporaryFolder();
  const repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ 'a.yaml': 'a: 1\n' });
  innocent = await gitHttpServer({ root: join(folder.path, 'srv') });
  hanging = await hangingServer(commit);
  const reach = { local: [], loopback: true };
  const limits = { fetches: { quick: 4, slow: 8, slowMs: 250 } };
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand(), reach, limits });
});
afterEach(async () => {
  await sources.close();
  await hanging.close();
  await innocent.close();
  await folder.remove();
});

type Hanging = { readonly port: number; close(): Promise<void> };

/** Lists one branch of every repository, by the old protocol in one answer, and leaves every fetch without an answer. */
async function hangingServer(head: string): Promise<Hanging> {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  const abilities = 'symref=HEAD:refs/heads/main allow-tip-sha1-in-want agent=git/2.40.0';
  const refs =
    `${line('# service=git-upload-pack\n')}0000${line(`${head} HEAD\0${abilities}\n`)}` +
    `${line(`${head} refs/heads/main\n`)}0000`;
  const server: Server = createServer((request, response) => {
    if (request.method === 'GET')
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(refs);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

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

/** Every address of the loopback network is a host of its own. */
const hostAt = (at: number): string => `127.0.0.${at + 2}`;

test.each<[string, (at: number) => string]>([
  ['of one host', () => '127.0.0.1'],
  ['of as many hosts', hostAt],
])(
  '20 fetches %s hang: a new repository is read meanwhile, and the programs are limited',
  async (_of, host) => {
    const urls = Array.from({ length: 20 }, (_one, at) => `http://${host(at)}:${hanging.port}/hung-${at}`);
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
