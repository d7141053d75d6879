import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Ctx, type FairleadError, silent, type VirtualClock, virtualClock } from '#base/std';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';
import { runPlugin } from './exec-plugin.ts';
import { IdentitySource } from './identity.ts';

let dir: string;
let clock: VirtualClock;
let ctx: Ctx;
const folders: string[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fairlead-identity-'));
  folders.push(dir);
  clock = virtualClock({ start: new Date('2026-01-01T00:00:00Z') });
  ctx = { signal: new AbortController().signal, log: silent, clock };
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const v1 = 'client.authentication.k8s.io/v1';

/** A plugin that counts how often it was asked and then does as it is told. */
async function plugin(script: string, more: Partial<ExecPlugin> = {}): Promise<ExecPlugin> {
  const command = join(dir, 'cloud-login');
  await writeFile(command, `#!/bin/sh\necho x >> "${dir}/asked"\n${script}\n`, { mode: 0o755 });
  return { apiVersion: v1, command, args: [], env: {}, ...more };
}
const asked = async (): Promise<number> => (await readFile(join(dir, 'asked'), 'utf8')).length / 2;
const answer = (status: object): string =>
  `cat <<'END'\n${JSON.stringify({ apiVersion: v1, kind: 'ExecCredential', status })}\nEND`;

const source = (user: ClusterAccess['user'], more: Partial<ClusterAccess> = {}): IdentitySource =>
  new IdentitySource(
    { server: 'https://x', namespace: 'default', tls: {}, user, ...more },
    { PATH: '/usr/bin:/bin' },
  );

test('a plugin is asked once for many, and again shortly before its answer expires', async () => {
  const exec = await plugin(answer({ token: 'abc', expirationTimestamp: '2026-01-01T01:00:00Z' }));
  const identities = source({ exec });
  const all = await Promise.all(Array.from({ length: 20 }, () => identities.current(ctx)));
  expect(new Set(all).size).toBe(1);
  expect(all[0]?.headers).toEqual({ authorization: 'Bearer abc' });
  await clock.advance(3_580_000);
  await identities.current(ctx);
  expect(await asked()).toBe(1);
  await clock.advance(11_000);
  await identities.current(ctx);
  expect(await asked()).toBe(2);
});

test('an answer without an end is good until the server refuses it, and then for one asking', async () => {
  const identities = source({
    exec: await plugin(answer({ clientCertificateData: 'crt', clientKeyData: 'key' })),
  });
  const first = await identities.current(ctx);
  expect(first).toMatchObject({ headers: {}, certificate: 'crt', key: 'key' });
  await clock.advance(100 * 24 * 3_600_000);
  expect(await identities.current(ctx)).toBe(first);
  // a hundred requests come back refused, having all used the same credentials
  for (let i = 0; i < 100; i++) expect(identities.refused(first)).toBe(true);
  const second = await identities.current(ctx);
  expect(identities.refused(first)).toBe(true);
  expect(await identities.current(ctx)).toBe(second);
  expect(await asked()).toBe(2);
});

test('a plugin sees the environment, its own variables, and the cluster if it wants to', async () => {
  const exec = await plugin(
    `printf '%s|%s' "$REGION" "$KUBERNETES_EXEC_INFO" > "${dir}/seen"\n${answer({ token: 't' })}`,
    {
      env: { REGION: 'north' },
      clusterInfo: { config: { audience: 'x' } },
    },
  );
  await source({ exec }, { tls: { ca: { pem: 'PEM' }, serverName: 'api' } }).current(ctx);
  const [region, info = ''] = (await readFile(join(dir, 'seen'), 'utf8')).split('|');
  expect(region).toBe('north');
  expect(JSON.parse(info)).toEqual({
    apiVersion: v1,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: {
        server: 'https://x',
        'tls-server-name': 'api',
        'certificate-authority-data': btoa('PEM'),
        config: { audience: 'x' },
      },
    },
  });
});

test.each([
  ['echo hunter2; echo hunter2 >&2; exit 3', 'failed with exit code 3: run it by hand to see why'],
  ['echo hunter2', 'did not print JSON'],
  [
    'echo \'{"kind":"ExecCredential","apiVersion":"v0","status":{"token":"hunter2"}}\'',
    `did not answer with an ExecCredential of ${v1}`,
  ],
  [answer({ clientKeyData: 'hunter2' }), 'gave neither a token nor a certificate with its key'],
])('a plugin that misbehaves is named, and what it printed is not repeated: %s', async (script, message) => {
  const failure = await source({ exec: await plugin(script) })
    .current(ctx)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'Auth', message: `credential plugin cloud-login ${message}` });
  expect(
    JSON.stringify([(failure as FairleadError).stack, String((failure as FairleadError).cause)]),
  ).not.toContain('hunter2');
});

test('a plugin that is not installed is named with its own hint', async () => {
  const exec: ExecPlugin = {
    apiVersion: v1,
    command: 'no-such-login',
    args: [],
    env: {},
    installHint: 'get it from the cloud\n',
  };
  await expect(source({ exec }).current(ctx)).rejects.toMatchObject({
    code: 'Auth',
    message: 'credential plugin no-such-login is not installed\nget it from the cloud',
  });
});

test.each([
  ['aws', 'install the AWS command line (version 2)'],
  ['argocd-k8s-auth', 'argocd-k8s-auth'],
  ['gke-gcloud-auth-plugin', 'gcloud components install gke-gcloud-auth-plugin'],
  ['aws-iam-authenticator', 'aws-iam-authenticator'],
  ['kubelogin', 'install Azure kubelogin'],
])('the helper of a cloud that is not installed says what to install: %s', async (command, hint) => {
  const exec: ExecPlugin = { apiVersion: v1, command: `/nowhere/${command}`, args: [], env: {} };
  const message = await source({ exec })
    .current(ctx)
    .then(String, (error: Error) => error.message);
  expect(message).toContain(`credential plugin ${command} is not installed\n`);
  expect(message).toContain(hint);
  expect(message).toContain('PATH');
});

test('a plugin that does not answer is named and stopped; one that nobody waits for any more is not blamed', async () => {
  const hanging = await plugin(`echo $$ > "${dir}/pid"\nexec sleep 1000`);
  const question = { plugin: hanging, cluster: {}, environment: { PATH: '/usr/bin:/bin' }, timeoutMs: 300 };
  await expect(runPlugin(ctx, question)).rejects.toMatchObject({
    code: 'Auth',
    message: 'credential plugin cloud-login did not answer within 0.3 s: run it by hand to see why',
  });
  const pid = Number(await readFile(join(dir, 'pid'), 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  const stop = new AbortController();
  const asking = runPlugin({ ...ctx, signal: stop.signal }, { ...question, timeoutMs: 30_000 });
  stop.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
});

test('a token file wins over a token, and the last good token survives a bad moment of its file', async () => {
  const tokenFile = join(dir, 'token');
  const authorization = async (identities: IdentitySource) =>
    (await identities.current(ctx)).headers.authorization;
  expect(await authorization(source({ tokenFile, token: 'fixed' }))).toBe('Bearer fixed');
  await expect(source({ tokenFile }).current(ctx)).rejects.toMatchObject({
    code: 'Auth',
    message: 'the token file cannot be read',
  });
  await writeFile(tokenFile, '\n');
  await expect(source({ tokenFile }).current(ctx)).rejects.toThrow('the token file is empty');
  await writeFile(tokenFile, 'from-file\n');
  expect(await authorization(source({ tokenFile, token: 'fixed' }))).toBe('Bearer from-file');

  const identities = source({ tokenFile });
  expect(await authorization(identities)).toBe('Bearer from-file');
  await rm(tokenFile);
  await clock.advance(61_000);
  expect(await authorization(identities)).toBe('Bearer from-file');
  await writeFile(tokenFile, 'rotated');
  await clock.advance(11_000);
  expect(await authorization(identities)).toBe('Bearer rotated');
});

test('no credentials leave over plain http, and unreadable key files are named by what they hold', async () => {
  const plain = await source({ token: 't', impersonate: { user: 'u' } }, { server: 'http://x' }).current(ctx);
  expect(plain.headers).toEqual({});
  const file = join(dir, 'nope');
  await expect(source({ certificate: { file }, key: { file } }).current(ctx)).rejects.toThrow(
    'the file of the client certificate cannot be read',
  );
  await expect(source({}, { tls: { ca: { file } } }).current(ctx)).rejects.toThrow(
    'the file of the certificate authority cannot be read',
  );
});
