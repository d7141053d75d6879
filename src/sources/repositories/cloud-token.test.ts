import { createVerify, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type GitRepository, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const email = 'builder@project.iam.example.com';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let azureGit: GitHttpServer;
let googleGit: GitHttpServer;
let endpoint: GitHttpServer;
let sources: Sources;
let commit: string;
let run = 0;
const forms: URLSearchParams[] = [];

/** Both token endpoints. Azure wants the secret, Google a statement signed by the account's key. */
function tokens(request: IncomingMessage, response: ServerResponse): boolean {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    forms.push(form);
    const isGood = request.url === '/google' ? isSigned(form) : isKnown(form);
    response.writeHead(isGood ? 200 : 401);
    response.end(
      JSON.stringify(isGood ? { access_token: 'lent', expires_in: 86_400 } : { error: form.toString() }),
    );
  });
  return true;
}

const isKnown = (form: URLSearchParams): boolean =>
  form.get('client_secret') === 'secret' || form.get('client_assertion') === 'from the cluster';

function isSigned(form: URLSearchParams): boolean {
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const { iss, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>;
  const proof = createVerify('sha256').update(`${header}.${claims}`);
  return (
    proof.verify(keys.publicKey, signature, 'base64url') && iss === email && aud === `${endpoint.url}/google`
  );
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ a: '1' });
  const root = join(folder.path, 'srv');
  azureGit = await gitHttpServer({ root, authorization: 'Bearer lent' });
  const login = Buffer.from(`${email}:lent`).toString('base64');
  googleGit = await gitHttpServer({ root, authorization: `Basic ${login}` });
  endpoint = await gitHttpServer({ root, first: tokens });
});
beforeEach(async () => {
  await sources?.close();
  run += 1;
  sources = createSources({
    cacheDir: join(folder.path, `cache-${run}`),
    git: gitCommand(),
    reach: { loopback: true },
  });
  forms.length = 0;
});
afterAll(async () => {
  await sources.close();
  await Promise.all([azureGit.close(), googleGit.close(), endpoint.close()]);
  await folder.remove();
});

const azure = (more: GitRepository['credentials'] = {}): GitRepository => ({
  url: `${azureGit.url}/repo/.git`,
  credentials: {
    azureServicePrincipalClientId: 'client',
    azureServicePrincipalClientSecret: 'secret',
    azureServicePrincipalTenantId: 'tenant',
    azureActiveDirectoryEndpoint: `${endpoint.url}/`,
    ...more,
  },
});
const account = (more: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    client_email: email,
    private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${endpoint.url}/google`,
    ...more,
  });
const google = (gcpServiceAccountKey: string): GitRepository => ({
  url: `${googleGit.url}/repo/.git`,
  credentials: { gcpServiceAccountKey },
});

describe('the identity of an Azure workload (CRED-5)', () => {
  const repository = (): GitRepository => ({
    url: `${azureGit.url}/repo/.git`,
    credentials: { useAzureWorkloadIdentity: true },
  });
  const open = (tokenFile: string): Sources =>
    createSources({
      cacheDir: join(folder.path, `cache-${run}-workload`),
      git: gitCommand(),
      reach: { loopback: true },
      azure: { clientId: 'client', tenantId: 'tenant', tokenFile, authorityHost: `${endpoint.url}/` },
    });

  test('is shown by the token that the cluster keeps in a file, as it is at that moment', async () => {
    const tokenFile = join(folder.path, 'federated');
    await writeFile(tokenFile, 'from the cluster\n');
    const workload = open(tokenFile);
    expect(await workload.resolveRevision(ctx, repository(), 'main')).toMatchObject({ commit });
    expect(Object.fromEntries(forms[0] ?? [])).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'from the cluster',
      scope: '499b84ac-1321-427f-aa17-267ca6975798/.default',
    });
    await workload.close();
  });

  test('that is not there is told, with what to set', async () => {
    const told = {
      code: 'Auth',
      message: expect.stringContaining('AZURE_FEDERATED_TOKEN_FILE'),
    };
    await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject(told);
    const lost = open(join(folder.path, 'no-such-file'));
    await expect(lost.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject(told);
    await lost.close();
    expect(forms).toEqual([]);
  });
});

describe('an Azure service principal (CRED-8)', () => {
  test('asks for Azure DevOps, and holds the token for 59 minutes however long it would live', async () => {
    const clock = virtualClock({ start: new Date() });
    const timed = { ...ctx, clock };
    const fresh = { fresh: true };
    expect(await sources.resolveRevision(timed, azure(), 'main', fresh)).toMatchObject({ commit });
    expect(forms[0]?.get('scope')).toBe('499b84ac-1321-427f-aa17-267ca6975798/.default');
    expect(endpoint.requests.at(-1)).toContain('POST /tenant/oauth2/v2.0/token');
    await clock.advance(58 * 60_000);
    await sources.resolveRevision(timed, azure(), 'main', fresh);
    expect(forms).toHaveLength(1);
    await clock.advance(2 * 60_000);
    await sources.resolveRevision(timed, azure(), 'main', fresh);
    expect(forms).toHaveLength(2);
  });

  test('that is refused, or incomplete, is told without its secret', async () => {
    const wrong = sources.resolveRevision(
      ctx,
      azure({ azureServicePrincipalClientSecret: 'hunter2' }),
      'main',
    );
    await expect(wrong).rejects.toMatchObject({
      code: 'Auth',
      message: expect.not.stringContaining('hunter2'),
    });
    const half = azure({ azureServicePrincipalTenantId: '' });
    await expect(sources.resolveRevision(ctx, half, 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining('azureServicePrincipalTenantId'),
    });
  });
});

describe('a Google service account (CRED-5)', () => {
  test('signs for a token, and logs in with its name and the token', async () => {
    expect(await sources.resolveRevision(ctx, google(account()), 'main')).toMatchObject({ commit });
    expect((await sources.openTree(ctx, google(account()), commit)).has('a')).toBe(true);
    expect(forms).toHaveLength(1);
  });

  test.each([
    [() => 'no JSON', 'Auth', 'is not the JSON key'],
    [() => '{}', 'Auth', 'is not the JSON key'],
    [() => account({ private_key: 'x' }), 'Auth', 'is not the JSON key'],
    [() => account({ client_email: 'other@example.com' }), 'Auth', 'gave us no token (status 401)'],
    [() => account({ token_uri: 'file:///etc/passwd' }), 'InvalidSpec', 'is no https URL'],
  ])('that cannot be used is told: %#', async (key, code, message) => {
    await expect(sources.resolveRevision(ctx, google(key()), 'main')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('sends its statement to no forbidden place', async () => {
    const key = account({ token_uri: 'http://169.254.169.254/token' });
    await expect(sources.resolveRevision(ctx, google(key), 'main')).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
  });
});
