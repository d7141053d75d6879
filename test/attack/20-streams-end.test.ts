import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { gitRepository } from '../git-repository.ts';

// Attack 20: a stream that was opened with a valid token goes on after the token has ended, or a permission was revoked.
// The logs of pods are such streams; terminals are tested in test/e2e/terminal.test.ts.

let fairlead: Fairlead;
let password: string;
beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  password = fairlead.password;
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

async function login(): Promise<string> {
  const answer = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { token: string }).token;
}

/** Resolves once the stream is open, with a promise for its end. */
async function open(
  token: string,
  accept: string,
  path = '/api/v1/stream/applications',
): Promise<{ ended: Promise<'ended'>; close(): void }> {
  const stop = new AbortController();
  const { status, body } = await fetch(`${fairlead.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, accept },
    signal: stop.signal,
  });
  expect(status).toBe(200);
  const read = async () => {
    for await (const _piece of body ?? []);
  };
  const ended = read().then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  return { ended, close: () => stop.abort() };
}
const patch = (kind: string, name: string, body: object) =>
  fairlead.kubectl('-n', 'argocd', 'patch', kind, name, '--type=merge', '-p', JSON.stringify(body));
const configure = (data: Record<string, string | null>) => patch('configmap', 'argocd-cm', { data });

const endings: [string, (token: string) => Promise<unknown>][] = [
  [
    'its token is signed out',
    (token) =>
      fetch(`${fairlead.url}/api/v1/session`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      }),
  ],
  ['admin is disabled', () => configure({ 'admin.enabled': 'false' })],
  [
    'the password changes',
    async () => {
      password = 'another-password';
      const stringData = {
        'admin.password': await hash(password, { cost: 4 }),
        'admin.passwordMtime': new Date(Date.now() - 1000).toISOString(),
      };
      return patch('secret', 'argocd-secret', { stringData });
    },
  ],
  [
    'the signing key changes',
    () =>
      patch('secret', 'argocd-secret', {
        stringData: { 'server.secretkey': 'a key of thirty-two bytes and more' },
      }),
  ],
  [
    'its token is older than the session duration allows',
    () => configure({ 'users.session.duration': '1s' }),
  ],
];

test.each(endings)('a stream ends when %s', async (_what, end) => {
  const token = await login();
  const streams = await Promise.all(
    ['text/event-stream', 'application/json'].map((accept) => open(token, accept)),
  );
  await end(token);
  // a stream that goes on makes this test run into its time limit
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(['ended', 'ended']);
  await configure({ 'admin.enabled': null, 'users.session.duration': null });
  await expect.poll(() => login().catch(() => 'refused')).toContain('.');
});

test('a stream ends when its token expires', async () => {
  await configure({ 'users.session.duration': '3s' });
  await expect
    .poll(async () => {
      const [, body = ''] = (await login()).split('.');
      const { iat, exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
        iat: number;
        exp: number;
      };
      return exp - iat;
    })
    .toBe(3);
  const { ended } = await open(await login(), 'text/event-stream');
  // the session duration is back at a day: what ends the stream is the token's own end
  await configure({ 'users.session.duration': null });
  expect(await ended).toBe('ended');
});

test('the stream of another session goes on', async () => {
  const [mine, other] = [await login(), await login()];
  const streams = [await open(mine, 'application/json'), await open(other, 'application/json')] as const;
  await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${mine}` },
  });
  expect(await Promise.race(streams.map(({ ended }, index) => ended.then(() => index)))).toBe(0);
  streams[1].close();
  await streams[1].ended;
});

const argo = { apiVersion: 'argoproj.io/v1alpha1' };
const named = (kind: string, name: string) => ({ ...argo, kind, metadata: { name, namespace: 'argocd' } });
const nowhere = { repoURL: 'https://git.example/x', path: '.' };
const shop = {
  sourceRepos: ['*'],
  destinations: [{ server: '*', namespace: '*' }],
  roles: [{ name: 'dev', policies: ['p, proj:shop:dev, applications, get, shop/web, allow'] }] as const,
};
const post = async (path: string, token: string) => {
  const answer = await fetch(`${fairlead.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  });
  return (await answer.json()) as { token: string };
};

const revocations: [string, (token: string) => Promise<unknown>][] = [
  [
    'its permission is taken from the role of the project',
    () => patch('appproject', 'shop', { spec: { roles: [{ ...shop.roles[0], policies: [] }] } }),
  ],
  [
    'its permission is denied by the policy',
    () =>
      patch('configmap', 'argocd-rbac-cm', {
        data: { 'policy.csv': 'p, proj:shop:dev, applications, get, shop/web, deny' },
      }),
  ],
  [
    'its application moves to another project',
    () => patch('application', 'web', { spec: { project: 'default' } }),
  ],
  [
    'the entry of its project token is deleted',
    () => patch('appproject', 'shop', { spec: shop, status: { jwtTokensByRole: null } }),
  ],
  ['its role is deleted', () => patch('appproject', 'shop', { spec: { roles: [] } })],
];

/** The application `web` of project shop, as the role `dev` may read it; the token of that role. */
async function startWeb(spec: object = shop, source: object = nowhere): Promise<string> {
  const deleted = ['delete', 'application,appproject', 'web', 'shop', '--ignore-not-found'];
  await fairlead.kubectl('-n', 'argocd', ...deleted);
  await patch('configmap', 'argocd-rbac-cm', { data: { 'policy.csv': null } });
  await fairlead.apply({ ...named('AppProject', 'shop'), spec });
  await fairlead.apply({
    ...named('Application', 'web'),
    spec: {
      project: 'shop',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace: 'web' },
      syncPolicy: { automated: {} },
    },
  });
  const admin = await login();
  const path = '/api/v1/projects/shop/roles/dev/token';
  await expect.poll(async () => (await post(path, admin)).token).toContain('.');
  return (await post(path, admin)).token;
}

const statusOf = async (token: string, path: string): Promise<number> => {
  const stop = new AbortController();
  const answer = await fetch(`${fairlead.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  stop.abort();
  return answer.status;
};

test.each(revocations)('a stream of one application ends when %s', async (_what, end) => {
  const token = await startWeb();
  const path = '/api/v1/stream/applications/web/resource-tree';
  await expect.poll(() => statusOf(token, path)).toBe(200);
  const { ended } = await open(token, 'text/event-stream', path);
  await end(token);
  // a stream that goes on makes this test run into its time limit
  expect(await ended).toBe('ended');
  expect([401, 403]).toContain(await statusOf(token, path));
});

const readLogs = 'p, proj:shop:dev, logs, get, shop/web, allow';
const logReader = { ...shop, roles: [{ name: 'dev', policies: [...shop.roles[0].policies, readLogs] }] };
const pod = `apiVersion: v1
kind: Pod
metadata: { name: one }
spec: { containers: [{ name: web, image: "web:1" }] }
`;

const logOf = async (token: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${fairlead.url}/api/v1/applications/web/pods/one/logs`, { headers })).text();
};

test.each([
  [
    'its permission logs, get is taken from the role, and applications, get stays',
    () => patch('appproject', 'shop', { spec: { roles: shop.roles } }),
  ] as const,
  ...revocations,
])('the followed log of a pod ends when %s', async (_what, end) => {
  const repository = await gitRepository(join(fairlead.folder, 'pods'));
  await repository.commit({ 'pod.yaml': pod });
  await fairlead.kubectl('create', 'namespace', 'web');
  const source = { repoURL: `file://${repository.dir}`, path: '.' };
  const token = await startWeb(logReader, source);
  const path = '/api/v1/applications/web/pods/one/logs?follow=true';
  await expect.poll(() => logOf(token), { timeout: 15_000 }).toContain('container web');
  const streams = [
    await open(await login(), 'text/event-stream', path),
    await open(token, 'text/event-stream', path),
  ] as const;
  await end(token);
  // the administrator's goes on: the log itself has not ended
  expect(await Promise.race(streams.map(({ ended }, index) => ended.then(() => index)))).toBe(1);
  expect([401, 403]).toContain(await statusOf(token, path));
  streams[0].close();
});
