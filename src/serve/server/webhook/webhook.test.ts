import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Logger, realClock, silent, virtualClock } from '#base/std';
import type { Push } from '#engine';
import { reportUnverified } from './hosts.ts';
import { Payload } from './payload.ts';
import { fromRegistry } from './pushes.ts';
import { WebhookReceiver } from './receive.ts';

let said: [string, unknown][] = [];
const log: Logger = { ...silent, warn: (text, fields) => void said.push([text, fields]) };
const ctx = { signal: new AbortController().signal, log, clock: realClock };
let clock = realClock;
let secrets: Record<string, string> = {};
let pushes: Push[] = [];
let room = 100;
const createWebhooks = () =>
  new WebhookReceiver({
    secret: (key) => secrets[key],
    requested: async () => {},
    maxBytes: () => 10_000,
    pushed: async (_ctx, push) => pushes.push(push) <= room,
  });
let webhooks = createWebhooks();
const server = createServer((request, response) => {
  webhooks.serve({ ...ctx, clock }, { request, response }).catch(() => response.destroy());
});
let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  said = [];
  webhooks = createWebhooks();
  secrets = {};
  pushes = [];
  room = 100;
  clock = realClock;
});

async function deliver(headers: Record<string, string>, body: unknown): Promise<[number, string]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text };
  const response = await fetch(`http://127.0.0.1:${port}/api/webhook`, init);
  return [response.status, (await response.text()).trim()];
}
const signed = (kind: string, secret: string, body: unknown): string =>
  createHmac(kind, secret).update(JSON.stringify(body)).digest('hex');

const repository = { html_url: 'https://github.com/org/repo', default_branch: 'main' };
const commits = [{ added: ['a/new.yaml'], modified: ['a/old.yaml'], removed: [] }, { removed: ['b/x.yaml'] }];
const gitHubPush = { ref: 'refs/heads/main', repository, commits };
const project = { web_url: 'https://gitlab.com/org/repo', default_branch: 'main' };
const cloud = {
  repository: { links: { html: { href: 'https://bitbucket.org/org/repo' } } },
  push: { changes: [{ new: { name: 'main' } }, { new: null, old: { name: 'gone' } }] },
};
const onPremises = {
  repository: {
    links: {
      clone: [
        { href: 'https://b.example/scm/org/repo.git' },
        { href: 'ssh://git@b.example:7999/org/repo.git' },
      ],
    },
  },
  changes: [{ ref: { id: 'refs/heads/main', displayId: 'main', type: 'BRANCH' }, refId: 'refs/heads/main' }],
};
const azure = {
  eventType: 'git.push',
  resource: {
    repository: { remoteUrl: 'https://dev.azure.com/org/p/_git/repo', defaultBranch: 'refs/heads/main' },
    refUpdates: [{ name: 'refs/heads/feature/x' }],
  },
};
const registryPackage = {
  action: 'published',
  package: {
    name: 'chart',
    namespace: 'org',
    package_type: 'CONTAINER',
    owner: { login: 'Org' },
    package_version: { container_metadata: { tag: { name: '1.2.0', digest: 'sha256:0' } } },
  },
};
const harbor = {
  type: 'PUSH_ARTIFACT',
  event_data: {
    resources: [
      { digest: 'sha256:0', resource_url: 'harbor.example:8443/shop/chart@sha256:0' },
      { digest: 'sha256:1', tag: '1.3.0', resource_url: 'harbor.example:8443/shop/chart:1.3.0' },
    ],
    repository: { repo_full_name: 'shop/chart' },
  },
};
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

type Case = {
  readonly host: string;
  readonly headers: Record<string, string>;
  readonly body: object;
  readonly key: Record<string, string>;
  readonly proof: Record<string, string>;
  readonly told: readonly Partial<Push>[];
  readonly refusal?: number;
};
const files = ['a/new.yaml', 'a/old.yaml', 'b/x.yaml'];
const cases: readonly Case[] = [
  {
    host: 'GitHub',
    headers: { 'x-github-event': 'push' },
    body: gitHubPush,
    key: { 'webhook.github.secret': 's3cret' },
    proof: { 'x-hub-signature-256': `sha256=${signed('sha256', 's3cret', gitHubPush)}` },
    told: [{ webUrl: 'https://github.com/org/repo', revision: 'main', touchedHead: true, changedFiles: files }],
  },
  {
    host: 'Gogs, which also sends the headers of GitHub',
    headers: { 'x-gogs-event': 'push', 'x-github-event': 'push' },
    body: gitHubPush,
    key: { 'webhook.gogs.secret': 's3cret' },
    proof: { 'x-gogs-signature': signed('sha256', 's3cret', gitHubPush) },
    told: [{ webUrl: 'https://github.com/org/repo', revision: 'main', changedFiles: files }],
  },
  {
    host: 'GitLab, a tag',
    headers: { 'x-gitlab-event': 'Tag Push Hook' },
    body: { ref: 'refs/tags/v1.2.0', project, commits: [] },
    key: { 'webhook.gitlab.secret': 's3cret' },
    proof: { 'x-gitlab-token': 's3cret' },
    told: [{ webUrl: 'https://gitlab.com/org/repo', revision: 'v1.2.0', touchedHead: false, changedFiles: [] }],
  },
  {
    host: 'GitLab, from the system',
    headers: { 'x-gitlab-event': 'System Hook' },
    body: { event_name: 'push', ref: 'refs/heads/main', project, commits },
    key: { 'webhook.gitlab.secret': 's3cret' },
    proof: { 'x-gitlab-token': 's3cret' },
    told: [{ revision: 'main', touchedHead: true, changedFiles: files }],
  },
  {
    host: 'Bitbucket Cloud, two branches',
    headers: { 'x-hook-uuid': 'other', 'x-event-key': 'repo:push' },
    body: cloud,
    key: { 'webhook.bitbucket.uuid': 'b0ca' },
    proof: { 'x-hook-uuid': 'b0ca' },
    told: [{ revision: 'main', touchedHead: true }, { revision: 'gone', touchedHead: true }],
  },
  {
    host: 'Bitbucket Server, two addresses',
    headers: { 'x-event-key': 'repo:refs_changed' },
    body: onPremises,
    key: { 'webhook.bitbucketserver.secret': 's3cret' },
    proof: { 'x-hub-signature': `sha256=${signed('sha256', 's3cret', onPremises)}` },
    told: [
      { webUrl: 'https://b.example/scm/org/repo.git', revision: 'main' },
      { webUrl: 'ssh://git@b.example:7999/org/repo.git', revision: 'main' },
    ],
  },
  {
    host: 'Azure DevOps, a branch with a slash',
    headers: { 'x-vss-activityid': '1' },
    body: azure,
    key: { 'webhook.azuredevops.username': 'joe', 'webhook.azuredevops.password': 'p' },
    proof: { authorization: basic('joe:p') },
    told: [{ webUrl: 'https://dev.azure.com/org/p/_git/repo', revision: 'feature/x', touchedHead: false }],
  },
  {
    host: 'the container registry of GitHub',
    headers: { 'x-github-event': 'package' },
    body: registryPackage,
    key: { 'webhook.github.secret': 's3cret' },
    proof: { 'x-hub-signature-256': `sha256=${signed('sha256', 's3cret', registryPackage)}` },
    told: [{ webUrl: 'oci://ghcr.io/Org/chart', revision: '1.2.0' }],
    refusal: 401,
  },
]; // biome-ignore format: a table

describe.each(cases)(
  'server §2.7, a delivery of $host',
  ({ headers, body, key, proof, told, refusal = 400 }) => {
    test('tells what moved', async () => {
      expect(await deliver(headers, body)).toEqual([200, 'ok']);
      expect(pushes).toMatchObject(told);
    });

    test('is believed with its proof, and not without or with a wrong one', async () => {
      secrets = key;
      expect(await deliver({ ...headers, ...proof }, body)).toEqual([200, 'ok']);
      expect(pushes).toHaveLength(told.length);
      const name = Object.keys(proof)[0] as string;
      for (const forged of [headers, { ...headers, [name]: 'sha256=00' }, { ...headers, [name]: 'é' }])
        expect(await deliver(forged, body)).toEqual([refusal, 'Webhook processing failed']);
      expect(pushes).toHaveLength(told.length);
    });

    test.each([
      {},
      [[]],
      null,
      'text',
      7,
      { repository: [] },
      { commits: {} },
      { push: { changes: [null] } },
    ])('that holds %j instead of what it should tells nothing and harms nothing', async (odd) => {
      const [status] = await deliver(headers, odd);
      expect([200, 400]).toContain(status);
      expect(pushes).toEqual([]);
    });
  },
);

test.each([
  ['a ping of GitHub', { 'x-github-event': 'ping' }, {}, [200, 'ok']],
  ['a ping of Bitbucket Server', { 'x-event-key': 'diagnostics:ping' }, {}, [200, 'ok']],
  ['another event of GitHub', { 'x-github-event': 'issues' }, {}, [400, 'Webhook processing failed']],
  ['nobody we know', {}, {}, [400, 'Unknown webhook event']],
  ['no JSON', { 'x-github-event': 'push' }, 'payload=%7B%7D', [400, 'the body is not JSON']],
  ['nothing at all', { 'x-github-event': 'push' }, '', [400, 'the body is not JSON']],
])('server §2.7: %s is answered', async (_what, headers, body, answer) => {
  expect(await deliver(headers as Record<string, string>, body)).toEqual(answer);
  expect(pushes).toEqual([]);
});

const registryEvent = (target: object, more: object = {}) => ({
  ...{ id: '1', action: 'push', request: { host: 'registry.example:5000' } },
  target: { repository: 'shop/chart', digest: 'sha256:1', ...target },
  ...more,
});

test('server §2.7: a registry of the OCI notifies with its secret, and each tag that was pushed counts once', async () => {
  const type = 'application/vnd.docker.distribution.events.v1+json';
  const events = [
    registryEvent({}), // a layer has no tag
    registryEvent({ tag: '1.3.0' }),
    registryEvent({ tag: '1.3.0' }),
    registryEvent({ tag: '1.4.0' }, { action: 'pull' }),
    registryEvent({ tag: 'v2', url: 'http://inner:5000/v2/shop/chart/manifests/x' }, { request: {} }),
  ];
  const headers = { 'content-type': type, authorization: 'Bearer s3cret' };
  expect(await deliver(headers, { events })).toEqual([400, 'Unknown webhook event']);
  secrets = { 'fairlead.webhook.registry.secret': 's3cret' };
  for (const wrong of [
    { ...headers, authorization: 'Bearer other' },
    { ...headers, 'content-type': 'application/json' },
    { 'content-type': type },
  ])
    expect(await deliver(wrong, { events })).toEqual([400, 'Unknown webhook event']);
  expect(pushes).toEqual([]);
  expect(await deliver(headers, { events })).toEqual([200, 'ok']);
  expect(pushes).toMatchObject([
    { webUrl: 'oci://registry.example:5000/shop/chart', revision: '1.3.0' },
    { webUrl: 'oci://inner:5000/shop/chart', revision: 'v2' },
  ]);
  expect(await deliver(headers, { events: 'none' })).toEqual([200, 'ok']);
  expect(await deliver({ ...headers, authorization: 's3cret' }, { events })).toEqual([200, 'ok']);
  expect(pushes).toHaveLength(4);
  const many = Array.from({ length: 1000 }, (_, index) => registryEvent({ tag: `t${index}` }));
  expect(fromRegistry(new Payload({ events: many }))).toHaveLength(100);
});

test('server §2.7: Harbor is known by its secret, and without one there is no Harbor', async () => {
  expect(await deliver({ authorization: 's3cret' }, harbor)).toEqual([400, 'Unknown webhook event']);
  expect(await deliver({ authorization: '' }, harbor)).toEqual([400, 'Unknown webhook event']);
  secrets = { 'webhook.harbor.secret': 's3cret' };
  expect(await deliver({ authorization: 'other' }, harbor)).toEqual([400, 'Unknown webhook event']);
  expect(await deliver({ authorization: 's3cret' }, harbor)).toEqual([200, 'ok']);
  expect(pushes).toMatchObject([{ webUrl: 'oci://harbor.example:8443/shop/chart', revision: '1.3.0' }]);
  const untagged = { ...harbor, event_data: { resources: [{ resource_url: 'h/x@sha256:0' }] } };
  expect(await deliver({ authorization: 's3cret' }, untagged)).toEqual([200, 'ok']);
  expect(await deliver({ authorization: 's3cret' }, { type: 'SCANNING_COMPLETED' })).toEqual([
    400,
    'Webhook processing failed',
  ]);
  expect(pushes).toHaveLength(1);
});

test.each([
  ['a package of another kind', { package_type: 'npm' }],
  ['an image without a tag', { package_version: { container_metadata: { tag: { name: '' } } } }],
])('server §2.7: %s is ignored', async (_what, fields) => {
  const body = { ...registryPackage, package: { ...registryPackage.package, ...fields } };
  expect(await deliver({ 'x-github-event': 'package' }, body)).toEqual([200, 'ok']);
  expect([pushes, said]).toEqual([[], []]);
});

test('server §2.7: a body that is too large is refused, announced or not', async () => {
  const large = { ref: 'x'.repeat(20_000) };
  const [status, text] = await deliver({ 'x-github-event': 'push' }, large);
  expect([status, text]).toEqual([400, expect.stringContaining('webhook.maxPayloadSizeMB')]);
  const answer = await raw(
    `POST /api/webhook HTTP/1.1\r\nhost: x\r\nx-github-event: push\r\ntransfer-encoding: chunked\r\n\r\n`,
    `4e20\r\n${'x'.repeat(20_000)}\r\n`,
  );
  expect(answer).toContain('HTTP/1.1 400');
});

test('a sender that dawdles is cut off, and what it held is given back', async () => {
  const virtual = virtualClock();
  clock = virtual;
  const closed = raw(
    'POST /api/webhook HTTP/1.1\r\nhost: x\r\nx-github-event: push\r\ncontent-length: 9000\r\n\r\n{',
  );
  while (virtual.sleepers === 0) await new Promise((resolve) => setImmediate(resolve));
  await virtual.advance(10_000);
  expect(await closed).toBe('');
  clock = realClock;
  expect(await deliver({ 'x-github-event': 'push' }, gitHubPush)).toEqual([200, 'ok']);
});

test('server §2.7: when too many wait, the sender is asked to try again', async () => {
  room = 0;
  const [status] = await deliver({ 'x-github-event': 'push' }, gitHubPush);
  expect(status).toBe(503);
});

test('a reader is told 405', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/api/webhook`);
  expect(response.status).toBe(405);
});

test('server §2.7: hosts without a secret are told once, those with one are not; it is no warning on a machine of its own', async () => {
  const lines: unknown[] = [];
  const listening = { log: { ...silent, warn: (_text: string, fields: unknown) => lines.push(fields) } };
  async function* changes() {}
  const secret = (key: string) => (key.startsWith('webhook.git') ? 'set' : '');
  await reportUnverified(listening as never, { secret, changes: changes(), isReachable: false });
  await reportUnverified(listening as never, { secret, changes: changes(), isReachable: true });
  expect(lines).toEqual([
    {
      keys: [
        'webhook.azuredevops.username',
        'webhook.gogs.secret',
        'webhook.bitbucket.uuid',
        'webhook.bitbucketserver.secret',
      ],
    },
  ]);
});

test('server §2.7: a secret that is lost while we run is told once, also on a machine of its own', async () => {
  const lines: unknown[] = [];
  const listening = {
    log: { ...silent, warn: (text: string, fields: object) => lines.push([text, fields]) },
  };
  let held: Record<string, string> = { 'webhook.github.secret': 'a', 'webhook.gitlab.secret': 'b' };
  async function* changes() {
    yield held['webhook.github.secret'];
    held = { 'webhook.gitlab.secret': 'c' };
    yield 'github lost its own';
    yield 'nothing more';
  }
  await reportUnverified(listening as never, {
    secret: (key) => held[key],
    changes: changes(),
    isReachable: false,
  });
  expect(lines).toEqual([
    [
      'webhook deliveries are accepted unverified from now on: argocd-secret has lost these keys',
      { keys: ['webhook.github.secret'] },
    ],
  ]);
});

/** What the server answers to bytes that no well-behaved client would send; resolves when the connection ends. */
function raw(...parts: string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}
