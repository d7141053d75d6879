import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';

// Attack 11: whatever is sent to /api/webhook, by whomever, nothing follows but a look, and others are served meanwhile.

const secret = 'only-the-host-knows';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let git: GitHttpServer;
let fairlead: Fairlead;
let base: string;

const configMap = (value: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pushed' }, data: { value } });

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/org/repo'));
  await repo.commit({ 'app/cm.yaml': configMap('before') });
  git = await gitHttpServer({ root: join(folder.path, 'srv') });
  fairlead = await startFairlead('--no-demo');
  base = fairlead.url.replace('localhost', '127.0.0.1');
  const hooks = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-secret', namespace: 'argocd' },
  };
  await fairlead.apply({ ...hooks, stringData: { 'webhook.github.secret': secret } });
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'pushed', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `${git.url}/org/repo`, path: 'app', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  });
  await fairlead.until('pushed', 'synced', ({ status }) => status?.sync?.status === 'Synced');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
  await git.close();
  await folder.remove();
});

const push = (): string =>
  JSON.stringify({
    ref: 'refs/heads/main',
    repository: { html_url: `${git.url}/org/repo`, default_branch: 'main' },
    commits: [{ modified: ['app/cm.yaml'] }],
  });
const signature = (body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const deliver = async (body: string, headers: Record<string, string>): Promise<number> => {
  const json = { 'content-type': 'application/json', 'x-github-event': 'push' };
  const init = { method: 'POST', headers: { ...json, ...headers }, body };
  return (await fetch(`${base}/api/webhook`, init)).status;
};
const lookups = (): number => git.requests.filter((line) => line.includes('git-upload-pack')).length;
const isServed = async (): Promise<boolean> => (await fetch(`${base}/healthz`)).ok;

test('a signed push is rolled out at once; unsigned, forged or empty ones bring nothing about', async () => {
  await repo.commit({ 'app/cm.yaml': configMap('after') });
  const before = lookups();
  for (const forged of [
    {},
    { 'x-hub-signature-256': 'sha256=00' },
    { 'x-hub-signature-256': signature('{}') },
  ])
    expect(await deliver(push(), forged)).toBe(400);
  expect(await deliver('', { 'x-hub-signature-256': signature('') })).toBe(400);
  expect(lookups()).toBe(before);

  expect(await deliver(push(), { 'x-hub-signature-256': signature(push()) })).toBe(200);
  const head = (await repo.git('rev-parse', 'HEAD')).trim();
  await fairlead.until(
    'pushed',
    'synced to the new commit',
    ({ status }) => status?.sync?.revision === head && status.sync.status === 'Synced',
  );
  const { stdout } = await fairlead.kubectl('get', 'configmap', 'pushed', '-o', 'jsonpath={.data.value}');
  expect(stdout).toBe('after');
});

test('a delivery that is replayed a thousand times costs a few looks', async () => {
  const before = lookups();
  const genuine = { 'x-hub-signature-256': signature(push()) };
  for (let round = 0; round < 20; round++)
    expect(await Promise.all(Array.from({ length: 50 }, () => deliver(push(), genuine)))).toEqual(
      Array(50).fill(200),
    );
  await fairlead.cli('app', 'get', 'pushed', '--refresh'); // what they brought about has begun by now
  expect(lookups() - before).toBeLessThan(200);
});

test('bodies without the lists that belong in them are taken for what they are', async () => {
  const odd = JSON.stringify({
    repository: null,
    push: { changes: {} },
    resource: { refUpdates: 'x' },
    commits: 1,
  });
  const headers: Record<string, string>[] = [
    { 'x-gogs-event': 'push' },
    { 'x-hook-uuid': 'u', 'x-event-key': 'repo:push' },
    { 'x-event-key': 'repo:refs_changed' },
    { 'x-vss-activityid': '1' },
    { 'x-gitlab-event': 'Push Hook' },
  ];
  for (const one of headers)
    expect([200, 400]).toContain(await deliver(odd, { ...one, 'x-github-event': '' }));
  expect(await isServed()).toBe(true);
});

test('a gigabyte is refused when it is announced, and cut off when it is not', async () => {
  const head = 'POST /api/webhook HTTP/1.1\r\nhost: x\r\nx-github-event: push\r\n';
  const announced = await talk((socket) => void socket.write(`${head}content-length: 1073741824\r\n\r\n`));
  expect(announced).toContain('HTTP/1.1 400');
  const piece = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
  let sent = 0;
  const endless = await talk((socket) => {
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const more = (): void => {
      while (!socket.destroyed && sent < 1024 && socket.write(piece)) sent += 1;
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
  });
  expect(sent).toBeLessThan(200);
  expect(endless === '' || endless.includes('HTTP/1.1 400')).toBe(true);
  expect(await isServed()).toBe(true);
});

test('those who send a byte now and then keep nobody from being served', async () => {
  const slow = Array.from({ length: 200 }, () =>
    talk((socket) => {
      socket.write(
        'POST /api/webhook HTTP/1.1\r\nhost: x\r\nx-github-event: push\r\ncontent-length: 1000\r\n\r\n{',
      );
    }, sockets),
  );
  expect(await deliver(push(), { 'x-hub-signature-256': signature(push()) })).toBe(200);
  expect(await isServed()).toBe(true);
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(slow);
});

const sockets: Socket[] = [];

/** Speaks raw bytes; resolves with the answer when the connection ends. */
function talk(speak: (socket: Socket) => void, held?: Socket[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => speak(socket));
    held?.push(socket);
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}
