import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createSources, type Sources } from '#sources/repositories';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';

// Attack 12, as far as Git goes: answers without an end, from a Git server and from a store of large files.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let server: GitHttpServer;
let sources: Sources;
let endless: 'refs' | 'pack' | 'batch' | 'file' | undefined;

const content = 'large file';
const oid = createHash('sha256').update(content).digest('hex');

/** Writes as long as anybody reads. */
function flood(response: ServerResponse, piece: Buffer, start = Buffer.alloc(0)): true {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
  response.write(start);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
  return true;
}

/** A packet of Git's protocol: its length in four digits, then what it holds. */
const packet = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), Buffer.from(content)]);

/** On the band for data. */
const onData = (...parts: readonly Buffer[]): Buffer => packet(Buffer.concat([Buffer.from([1]), ...parts]));

/** A file of a terabyte: the beginning of a pack that holds it, then its content as deflate keeps what it cannot shrink. */
const packStart = Buffer.concat([
  Buffer.from('PACK'),
  Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]),
  Buffer.from([0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]),
  Buffer.from([0x78, 0x01]),
]);
const packPiece = Buffer.concat([Buffer.from([0, 0x60, 0xea, 0x9f, 0x15]), Buffer.alloc(60_000)]);

function answer(request: IncomingMessage, response: ServerResponse, pass: () => void): boolean {
  const { url = '', method } = request;
  if (endless === 'refs' && method === 'POST') {
    const row = packet(`${'a'.repeat(40)} refs/heads/${'x'.repeat(900)}\n`);
    return flood(response, row);
  }
  if (endless === 'pack' && method === 'POST') {
    request.once('data', (chunk: Buffer) => {
      request.pause();
      request.unshift(chunk);
      const start = Buffer.concat([packet('packfile\n'), onData(packStart)]);
      if (chunk.includes('command=fetch')) flood(response, onData(packPiece), start);
      else pass();
    });
    return true;
  }
  if (url.endsWith('/batch')) {
    if (endless === 'batch') return flood(response, Buffer.alloc(65_536, 0x20));
    const href = `${server.url}/file`;
    response.end(JSON.stringify({ objects: [{ oid, actions: { download: { href } } }] }));
    return true;
  }
  return url === '/file' && flood(response, Buffer.alloc(65_536));
}

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  server = await gitHttpServer({ root: join(folder.path, 'srv'), first: answer });
});
beforeEach(() => {
  endless = undefined;
  sources = createSources({
    cacheDir: join(folder.path, 'cache'),
    git: gitCommand(),
    reach: { loopback: true },
    limits: { listMs: 3_000, packBytes: 1_000_000 },
  });
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

const repository = () => ({ url: `${server.url}/repo/.git`, enableLfs: true });

test('a list of refs without an end is cut off', async () => {
  endless = 'refs';
  const asking = sources.resolveRevision(ctx, repository(), 'main');
  await expect(asking).rejects.toMatchObject({
    code: expect.stringMatching(/^(LimitExceeded|Unavailable)$/),
  });
  await sources.close();
});

test('a pack without an end is cut off, and nothing of it stays on the disk', async () => {
  const commit = await repo.commit({ a: '1' });
  await sources.resolveRevision(ctx, repository(), 'main');
  endless = 'pack';
  await expect(sources.openTree(ctx, repository(), commit)).rejects.toMatchObject({
    code: 'LimitExceeded',
    message: 'a fetch was stopped: it brought more than 1000000 bytes',
  });
  const mirrors = join(folder.path, 'cache/git');
  for (const name of await readdir(mirrors)) {
    const left = await readdir(join(mirrors, name, 'objects/pack')).catch(() => []);
    expect(left.filter((file) => file.startsWith('tmp_'))).toEqual([]);
  }
  endless = undefined;
  expect((await sources.openTree(ctx, repository(), commit)).has('a')).toBe(true);
  await sources.close();
});

test.each(['batch', 'file'] as const)('a large file whose %s has no end is cut off', async (kind) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
  const commit = await repo.commit({ 'big.yaml': pointer });
  const tree = await sources.openTree(ctx, repository(), commit);
  endless = kind;
  await expect(tree.read('big.yaml')).rejects.toMatchObject({ code: 'LimitExceeded' });
  await sources.close();
});
