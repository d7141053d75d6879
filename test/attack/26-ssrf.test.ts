import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSources, type Sources } from '#source';
import { type Ctx, realClock, silent } from '#std';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';

// Attack 26, as far as repositories go: hosts that are this machine, the link, or the cloud's metadata.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;
let server: GitHttpServer;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await gitHttpServer({ root: folder.path });
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand() });
});
afterAll(async () => {
  await sources.close();
  await server.close();
  await folder.remove();
});

test.each([
  'http://127.0.0.1:PORT/repo',
  'http://localhost:PORT/repo',
  'http://127.1:PORT/repo',
  'http://2130706433:PORT/repo',
  'http://0x7f.1:PORT/repo',
  'http://0177.0.0.1:PORT/repo',
  'http://[::1]:PORT/repo',
  'http://[::ffff:127.0.0.1]:PORT/repo',
  'http://[::ffff:7f00:1]:PORT/repo',
  'http://0.0.0.0:PORT/repo',
  'http://[::]:PORT/repo',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:169.254.169.254]/latest',
  'http://[fe80::1]/repo',
  'http://[fd00:ec2::254]/latest',
  'http://[64:ff9b::a9fe:a9fe]/latest',
  'http://100.100.100.200/latest',
  'http://user:pass@169.254.169.254/latest',
  'http://224.0.0.1/repo',
])('%s is not reached', async (url) => {
  const repository = { url: url.replace('PORT', new URL(server.url).port) };
  const resolving = sources.resolveRevision(ctx, repository, 'main');
  await expect(resolving).rejects.toMatchObject({ code: 'PermissionDenied' });
  await expect(sources.openTree(ctx, repository, 'a'.repeat(40))).rejects.toMatchObject({
    code: 'PermissionDenied',
  });
  expect(server.requests).toEqual([]);
});
