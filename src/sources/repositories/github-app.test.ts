import { createVerify, generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const githubAppPrivateKey = keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const basic = `Basic ${Buffer.from('x-access-token:ghs_token').toString('base64')}`;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: GitHttpServer;
let api: GitHttpServer;
let commit: string;
let sources: Sources;
let run = 0;
let expiresAt = '';

/** The two endpoints of GitHub's API that an App needs; it believes only what the App's key signed. */
function github(request: IncomingMessage, response: ServerResponse): boolean {
  const [header = '', claims = '', signature = ''] = (request.headers.authorization ?? '')
    .replace('Bearer ', '')
    .split('.');
  const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as {
    iss: string;
    exp: number;
    iat: number;
  };
  const signed = createVerify('sha256').update(`${header}.${claims}`);
  const genuine = signed.verify(keys.publicKey, signature, 'base64url') && iss === '42' && exp - iat <= 600;
  const routes: Record<string, object> = {
    'GET /api/v3/orgs/org/installation': { id: 7 },
    'GET /api/v3/users/ann/installation': { id: 8 },
    'POST /api/v3/app/installations/7/access_tokens': { token: 'ghs_token', expires_at: expiresAt },
    'POST /api/v3/app/installations/8/access_tokens': { token: 'ghs_token', expires_at: expiresAt },
  };
  const answer = routes[`${request.method} ${request.url}`];
  response.writeHead(genuine ? (answer ? 200 : 404) : 401).end(JSON.stringify(answer ?? {}));
  return true;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const repo = await gitRepository(join(folder.path, 'srv/org/repo'));
  commit = await repo.commit({ 'a.yaml': 'a: 1\n' });
  await gitRepository(join(folder.path, 'srv/ann/repo')).then((own) => own.commit({ b: '1' }));
  const root = join(folder.path, 'srv');
  server = await gitHttpServer({ root, authorization: basic });
  api = await gitHttpServer({ root, first: github });
});
beforeEach(async () => {
  await sources?.close();
  run += 1;
  expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  sources = createSources({
    cacheDir: join(folder.path, `cache-${run}`),
    git: gitCommand(),
    reach: { loopback: true },
  });
  api.requests.length = 0;
});
afterAll(async () => {
  await sources.close();
  await Promise.all([server.close(), api.close()]);
  await folder.remove();
});

const repository = (owner = 'org', more: object = {}) => ({
  url: `${server.url}/${owner}/repo/.git`,
  credentials: {
    githubAppId: 42,
    githubAppPrivateKey,
    githubAppEnterpriseBaseUrl: `${api.url}/api/v3/`,
    ...more,
  },
});
const asked = (): string[] => api.requests.map((row) => row.split(' ').slice(0, 2).join(' '));

describe('a GitHub App (CRED-7)', () => {
  test('finds its installation by the owner, fetches one token, and uses it for everything', async () => {
    expect(await sources.resolveRevision(ctx, repository(), 'main')).toMatchObject({ commit });
    expect((await sources.openTree(ctx, repository(), commit)).has('a.yaml')).toBe(true);
    await sources.resolveRevision(ctx, repository(), 'main', { fresh: true });
    expect(asked()).toEqual([
      'GET /api/v3/orgs/org/installation',
      'POST /api/v3/app/installations/7/access_tokens',
    ]);
  });

  test('asks for the installation it was given, and for that of a user', async () => {
    await sources.resolveRevision(ctx, repository('org', { githubAppInstallationId: 7 }), 'main');
    expect(asked()).toEqual(['POST /api/v3/app/installations/7/access_tokens']);
    await sources.resolveRevision(ctx, repository('ann'), 'main');
    expect(asked().at(-1)).toBe('POST /api/v3/app/installations/8/access_tokens');
  });

  test('renews a token before it ends, and an installation after an hour', async () => {
    const clock = virtualClock({ start: new Date() });
    const timed = { ...ctx, clock };
    await sources.resolveRevision(timed, repository(), 'main', { fresh: true });
    await clock.advance(30 * 60_000);
    await sources.resolveRevision(timed, repository(), 'main', { fresh: true });
    expect(asked()).toHaveLength(2);
    await clock.advance(27 * 60_000); // the token would live three minutes more
    await sources.resolveRevision(timed, repository(), 'main', { fresh: true }).catch(() => {});
    expect(asked()).toHaveLength(3);
    await clock.advance(10 * 60_000);
    await sources.resolveRevision(timed, repository(), 'main', { fresh: true }).catch(() => {});
    expect(asked()[3]).toBe('GET /api/v3/orgs/org/installation');
  });

  test.each([
    [{ githubAppId: 1 }, 'Auth', 'check githubAppID and githubAppPrivateKey'],
    [{ githubAppPrivateKey: 'x' }, 'Auth', 'is no private key in PEM'],
    [{ githubAppEnterpriseBaseUrl: 'ftp://x' }, 'InvalidSpec', 'is no https URL'],
    [{ githubAppEnterpriseBaseUrl: 'http://169.254.169.254' }, 'PermissionDenied', 'may not be fetched from'],
  ])('says what is wrong with %j', async (more, code, message) => {
    await expect(sources.resolveRevision(ctx, repository('org', more), 'main')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('one that is not installed for the owner says so', async () => {
    await expect(sources.resolveRevision(ctx, repository('nobody'), 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: 'GitHub App 42 gives us no access: it is not installed for nobody',
    });
  });
});

describe('which credentials count (CRED-5)', () => {
  test('a password comes before an App, which is then not asked', async () => {
    const own = repository('org', { username: 'x-access-token', password: 'ghs_token' });
    await sources.resolveRevision(ctx, own, 'main');
    expect(asked()).toEqual([]);
  });

  test('a record with a configuration error is not used', async () => {
    const broken = { ...repository(), problem: 'Configuration error: insecure must be "true" or "false"' };
    await expect(sources.resolveRevision(ctx, broken, 'main')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('insecure must be "true" or "false"'),
    });
  });
});
