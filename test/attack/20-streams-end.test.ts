import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Attack 20: a stream that was opened with a valid token goes on after the token has ended. (Terminals, logs and permissions that
// are taken away come with the server issue.)

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
async function open(token: string, accept: string): Promise<{ ended: Promise<'ended'>; close(): void }> {
  const stop = new AbortController();
  const { status, body } = await fetch(`${fairlead.url}/api/v1/stream/applications`, {
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
