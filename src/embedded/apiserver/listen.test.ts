import { EventEmitter } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { realClock, silent, virtualClock } from '#base/std';
import { configMap, talk } from '../../../test/talk.ts';
import { listen } from './index.ts';
import { reportErrors } from './listen.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function served(dir?: string) {
  const home = dir ?? (await mkdtemp(join(tmpdir(), 'fairlead-listen-')));
  if (dir === undefined) ends.push(() => rm(home, { recursive: true, force: true }));
  const speak = await talk();
  const listener = await listen(ctx, speak.cluster, { port: 0, dir: home });
  ends.push(() => speak.cluster.close(), listener.close);
  const config = JSON.parse(await readFile(listener.kubeconfigPath, 'utf8'));
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  const ca = text(config.clusters[0].cluster['certificate-authority-data']);
  const user = config.users[0].user;
  const credentials = { ca, cert: text(user['client-certificate-data']), key: text(user['client-key-data']) };
  return { speak, listener, home, credentials };
}

function get(url: string, options: object): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent: false }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('a namespace is named by a context of its own; the current one stays in default', async () => {
  const home = await mkdtemp(join(tmpdir(), 'fairlead-listen-'));
  ends.push(() => rm(home, { recursive: true, force: true }));
  const { cluster } = await talk();
  const listener = await listen(ctx, cluster, { port: 0, dir: home, namespace: 'gitops' });
  ends.push(() => cluster.close(), listener.close);
  const config = JSON.parse(await readFile(listener.kubeconfigPath, 'utf8'));
  expect([config['current-context'], config.contexts]).toEqual([
    'fairlead',
    [
      { name: 'fairlead', context: { cluster: 'fairlead', user: 'fairlead' } },
      { name: 'argocd', context: { cluster: 'fairlead', user: 'fairlead', namespace: 'gitops' } },
    ],
  ]);
});

test('out of descriptors, a thousand failed accepts are one line in the log, and one more each minute', async () => {
  const clock = virtualClock();
  const lines: unknown[] = [];
  const warn = (text: string, fields: object = {}) =>
    void lines.push([text, 'failures' in fields && fields.failures]);
  const server = new EventEmitter();
  reportErrors({ signal: new AbortController().signal, log: { ...silent, warn }, clock }, server);
  for (let i = 0; i < 1_000; i++) server.emit('error', new Error('accept EMFILE'));
  await clock.advance(60_000);
  for (let i = 0; i < 1_000; i++) server.emit('error', new Error('accept EMFILE'));
  expect(lines).toEqual([
    ['the embedded cluster cannot accept connections', 1],
    ['the embedded cluster cannot accept connections', 1_000],
  ]);
});

test('the kubeconfig is its owner’s alone and opens the door over HTTP/1.1', async () => {
  const { listener, credentials } = await served();
  expect((await stat(listener.kubeconfigPath)).mode & 0o777).toBe(0o600);
  const { status, body } = await get(`${listener.url}/api/v1/namespaces/default`, credentials);
  expect([status, JSON.parse(body).metadata.name]).toEqual([200, 'default']);
});

test('and over HTTP/2, where a watch sends its headers before its first event', async () => {
  const { listener, credentials, speak } = await served();
  const session = connect(listener.url, credentials);
  const now = (await speak.get('/api/v1/configmaps')).body.metadata.resourceVersion;
  const stream = session.request({ ':path': `/api/v1/configmaps?watch=true&resourceVersion=${now}` });
  const status = await new Promise((resolve) =>
    stream.on('response', (headers) => resolve(headers[':status'])),
  );
  expect(status).toBe(200);
  await speak.post('/api/v1/namespaces/default/configmaps', configMap('seen'));
  const [line] = await new Promise<string[]>((resolve) =>
    stream.on('data', (data) => resolve(String(data).split('\n'))),
  );
  expect(JSON.parse(line ?? '')).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
  await new Promise<void>((resolve) => session.close(resolve) ?? stream.close());
});

test('who brings no certificate of ours may ask for health and nothing else', async () => {
  const { listener, credentials } = await served();
  const { status, body } = await get(`${listener.url}/api/v1/namespaces`, { ca: credentials.ca });
  expect([status, JSON.parse(body).message]).toEqual([401, 'Unauthorized']);
  expect((await get(`${listener.url}/readyz`, { ca: credentials.ca })).body).toBe('ok');
});

test('nobody can claim to be somebody else by a header', async () => {
  const { listener, credentials } = await served();
  const { status } = await get(`${listener.url}/api/v1/namespaces`, {
    ca: credentials.ca,
    headers: { 'x-remote-user': 'system:admin' },
  });
  expect(status).toBe(401);
});

test('certificates are kept: a second start is the same cluster to its clients', async () => {
  const { home, credentials } = await served();
  const again = await served(home);
  expect(again.credentials.ca).toBe(credentials.ca);
  expect((await get(`${again.listener.url}/version`, credentials)).status).toBe(200);
});

test('a port that is taken is named', async () => {
  const { listener, speak, home } = await served();
  const port = Number(new URL(listener.url).port);
  await expect(listen(ctx, speak.cluster, { port, dir: home })).rejects.toThrow(
    `port ${port} is in use; choose another`,
  );
});
