import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitSshServer, sshKeys } from '../../../test/git-ssh-server.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources, type SourcesConfig } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const authorization = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
const credentials = { username: 'joe', password: 'hunter2' };
const content = `large: ${'x'.repeat(5000)}\n`;

type Stored = { readonly bytes: string; readonly href?: string };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let server: GitHttpServer;
let depot: GitHttpServer;
let sources: Sources;
let run = 0;
const store = new Map<string, Stored>();

const oidOf = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');
const pointer = (bytes: string, size = bytes.length): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(bytes)}\nsize ${size}\n`;

/** The batch API of Git LFS and the place its files lie at. */
function lfs(request: IncomingMessage, response: ServerResponse): boolean {
  const { url = '', method } = request;
  if (method === 'POST' && url.endsWith('/repo/.git/info/lfs/objects/batch')) {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { objects } = JSON.parse(Buffer.concat(chunks).toString()) as { objects: { oid: string }[] };
      const answers = objects.map(({ oid }) => {
        const stored = store.get(oid);
        const href = stored?.href ?? `${server.url}/files/${oid}`;
        return stored
          ? { oid, actions: { download: { href, header: { 'X-Ticket': 'one' } } } }
          : { oid, error: { code: 404, message: 'gone' } };
      });
      response.setHeader('content-type', 'application/vnd.git-lfs+json');
      response.end(JSON.stringify({ transfer: 'basic', objects: answers }));
    });
    return true;
  }
  return file(request, response);
}

function file({ url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
  const stored = store.get(url.replace('/files/', ''));
  if (!stored) return false;
  response.writeHead(headers['x-ticket'] === 'one' ? 200 : 403).end(stored.bytes);
  return true;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  const root = join(folder.path, 'srv');
  server = await gitHttpServer({ root, authorization, first: lfs });
  depot = await gitHttpServer({ root, first: file });
});
beforeEach(async () => {
  store.clear();
  server.requests.length = 0;
  depot.requests.length = 0;
  await open();
});
afterAll(async () => {
  await sources.close();
  await Promise.all([server.close(), depot.close()]);
  await folder.remove();
});

async function open(more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  sources = createSources({
    cacheDir: join(folder.path, `cache-${run}`),
    git: gitCommand(),
    reach: { loopback: true, local: [folder.path] },
    ...more,
  });
}

const commitOf = (text: string): Promise<string> =>
  repo.commit({ 'big.yaml': text, 'small.yaml': 'a: 1\n', '.gitattributes': '*.yaml filter=lfs\n' });
const repository = () => ({ url: `${server.url}/repo/.git`, credentials, enableLfs: true });

describe('large files', () => {
  test('are fetched when they are read, once, with the credentials of the repository (LFS-1, LFS-2)', async () => {
    store.set(oidOf(content), { bytes: content });
    const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
    expect(await tree.text('small.yaml')).toBe('a: 1\n');
    const batches = () => server.requests.filter((row) => row.includes('/batch'));
    expect(batches()).toEqual([]);
    expect(await Promise.all([tree.text('big.yaml'), tree.text('big.yaml')])).toEqual([content, content]);
    expect(await tree.text('big.yaml')).toBe(content);
    expect(batches()).toEqual([`POST /repo/.git/info/lfs/objects/batch ${authorization}`]);
    expect(server.requests.at(-1)).toContain(authorization); // the files lie on the same server
  });

  test('have other hashes than their pointers, so that no render of the one is taken for the other', async () => {
    const commit = await commitOf(pointer(content));
    const tree = await sources.openTree(ctx, repository(), commit);
    const plain = await sources.openTree(ctx, { ...repository(), enableLfs: false }, commit);
    for (const path of ['', 'big.yaml']) expect(tree.hash(path)).not.toBe(plain.hash(path));
  });

  test('without the flag the pointer is what there is (LFS-1), and that is told', async () => {
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const plain = { url: repository().url, credentials };
    const commit = await commitOf(pointer(content));
    for (let time = 0; time < 2; time++) {
      const tree = await sources.openTree(ctx, plain, commit, { warn });
      expect(await tree.text('big.yaml')).toBe(pointer(content));
    }
    const told = `big.yaml is a Git LFS pointer and is rendered as such: set enableLfs in the Secret of repository ${plain.url}`;
    expect(warnings).toEqual([told, told]);
    await sources.openTree(ctx, repository(), commit, { warn });
    await sources.openTree(ctx, plain, await commitOf('no: pointer\n'), { warn });
    expect(warnings).toHaveLength(2);
    expect(server.requests.some((row) => row.includes('/lfs/'))).toBe(false);
  });

  test.each([
    ['other content of the same size', (text: string) => text.replace('x', 'y'), 'Unavailable'],
    ['less than it should be', (text: string) => text.slice(1), 'Unavailable'],
    ['more than it should be', (text: string) => `${text}x`, 'LimitExceeded'],
  ])('%s is refused (LFS-2)', async (_name, spoil, code) => {
    store.set(oidOf(content), { bytes: spoil(content) });
    const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
    await expect(tree.read('big.yaml')).rejects.toMatchObject({ code });
  });

  test('one that was never pushed is named', async () => {
    const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
    await expect(tree.read('big.yaml')).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('push it with git lfs push'),
    });
  });

  test('a pointer to more than one file may have is not followed', async () => {
    await open({ limits: { fileBytes: 4000 } });
    store.set(oidOf(content), { bytes: content });
    const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
    await expect(tree.read('big.yaml')).rejects.toMatchObject({ code: 'LimitExceeded' });
    expect(server.requests.some((row) => row.includes('/lfs/'))).toBe(false);
  });

  test('what lies elsewhere is asked for with what the server gave for it, never with our credentials', async () => {
    store.set(oidOf(content), { bytes: content, href: `${depot.url}/files/${oidOf(content)}` });
    const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
    expect(await tree.text('big.yaml')).toBe(content);
    expect(depot.requests).toEqual([`GET /files/${oidOf(content)} nobody`]);
  });

  test.each(['http://169.254.169.254/latest', 'file:///etc/passwd', 'ftp://x/y', ''])(
    'an answer that leads to %j leads nowhere',
    async (href) => {
      store.set(oidOf(content), { bytes: content, href });
      const tree = await sources.openTree(ctx, repository(), await commitOf(pointer(content)));
      await expect(tree.read('big.yaml')).rejects.toMatchObject({
        code: href.startsWith('http') ? 'PermissionDenied' : 'NotFound',
      });
    },
  );

  test('over ssh are fetched with the pass that the host gives, asked for once', async () => {
    store.set(oidOf(content), { bytes: content });
    const pass = { href: `${server.url}/repo/.git/info/lfs`, header: { Authorization: authorization } };
    const key = sshKeys();
    const answers = (command: string): string | undefined =>
      command === "git-lfs-authenticate 'repo' download" ? JSON.stringify(pass) : undefined;
    const ssh = await gitSshServer(join(folder.path, 'srv'), key, answers);
    const trust = () => ({ certificates: {}, knownHosts: ssh.knownAs('127.0.0.1') });
    await open({ trust });
    const overSsh = {
      url: `ssh://git@127.0.0.1:${ssh.port}/repo`,
      credentials: { sshPrivateKey: key.private },
      enableLfs: true,
    };
    const second = `second: ${'y'.repeat(500)}\n`;
    store.set(oidOf(second), { bytes: second });
    const commit = await repo.commit({ 'big.yaml': pointer(content), 'second.yaml': pointer(second) });
    const tree = await sources.openTree(ctx, overSsh, commit);
    expect(await tree.text('big.yaml')).toBe(content);
    expect(await tree.text('second.yaml')).toBe(second);
    expect(ssh.commands.filter((row) => row.includes('lfs'))).toHaveLength(1);
    await ssh.close();
  });

  test('over ssh, where the host knows no such thing, that is told', async () => {
    const key = sshKeys();
    const ssh = await gitSshServer(join(folder.path, 'srv'), key);
    await open({ trust: () => ({ certificates: {}, knownHosts: ssh.knownAs('127.0.0.1') }) });
    const overSsh = {
      url: `ssh://git@127.0.0.1:${ssh.port}/repo`,
      credentials: { sshPrivateKey: key.private },
      enableLfs: true,
    };
    const tree = await sources.openTree(ctx, overSsh, await commitOf(pointer(content)));
    await expect(tree.read('big.yaml')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('has no large files to give over ssh'),
    });
    await ssh.close();
  });

  test('of a local repository are taken from where git lfs keeps them', async () => {
    const oid = oidOf(content);
    const kept = join(repo.dir, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    await mkdir(dirname(kept), { recursive: true });
    await writeFile(kept, content);
    const tree = await sources.openTree(
      ctx,
      { url: repo.dir, enableLfs: true },
      await commitOf(pointer(content)),
    );
    expect(await tree.text('big.yaml')).toBe(content);
    expect(await readdir(join(folder.path, `cache-${run}`, 'git'))).toHaveLength(1);
  });
});
