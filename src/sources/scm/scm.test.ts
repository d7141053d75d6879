import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { type ScmAnswer, type ScmServer, scmServer } from '../../../test/scm-server.ts';
import { listPullRequests, listRepositories, ScmClient, type ScmDeps } from './index.ts';

type Input = {
  scmProvider?: Record<string, unknown>;
  pullRequest?: Record<string, unknown>;
  routes: Record<string, ScmAnswer | ScmAnswer[]>;
  /** Public origins that the server stands for. */
  mirrors?: string[];
  deps?: Partial<Pick<ScmDeps, 'enabled' | 'allowedProviders' | 'aws'>>;
};
type Expected = {
  repositories?: unknown[];
  pullRequests?: unknown[];
  error?: { code: string; message: string };
  /** In any order: requests for several repositories are under way at a time. */
  requests?: string[];
  /** Headers of every request. */
  headers?: Record<string, string>;
  warnings?: string[];
};

const servers: ScmServer[] = [];
const clients: ScmClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const now = new Date('2026-03-01T10:00:00Z');

/** The generator as a user writes it, with the server's URL for HOST. */
const at = (server: ScmServer, value: unknown): any =>
  JSON.parse(JSON.stringify(value).replaceAll('HOST', server.url));

function wired(server: ScmServer, { mirrors = [], deps = {} }: Partial<Input> = {}): ScmDeps {
  const client = new ScmClient({
    outside: () => ({ egress: { loopback: true }, trust: { certificates: {}, knownHosts: '' }, proxy: {} }),
    mirrors: Object.fromEntries(mirrors.map((origin) => [origin, server.url])),
    limits: { requestMs: 10_000 },
  });
  clients.push(client);
  return {
    client,
    enabled: true,
    allowedProviders: [],
    secret: async (_ctx, { secretName, key }) => `${secretName}-${key}\n`,
    warn: () => undefined,
    configMap: async () => 'no certificate',
    githubApp: async () => ({ id: 0, privateKey: '' }),
    ...deps,
  };
}

const ctxNow = (): Ctx => ({
  signal: new AbortController().signal,
  clock: virtualClock({ start: now }),
  log: silent,
});

const withoutHost =
  ({ url }: ScmServer) =>
  (text: string): string =>
    text.replaceAll(url.slice(7), 'SERVER');

async function played({
  scmProvider,
  pullRequest,
  ...input
}: Input): Promise<Expected & { used: ScmServer }> {
  const used = await scmServer(input.routes);
  servers.push(used);
  const warnings: string[] = [];
  const ctx = ctxNow();
  const deps = { ...wired(used, input), warn: (message: string) => void warnings.push(message) };
  const listed = scmProvider
    ? listRepositories(ctx, at(used, scmProvider), deps).then((repositories) => ({ repositories }))
    : listPullRequests(ctx, at(used, pullRequest), deps).then((pullRequests) => ({ pullRequests }));
  const outcome = await listed.catch(({ code, message }) => ({
    error: { code, message: withoutHost(used)(message) },
  }));
  return { ...(outcome as Expected), warnings: warnings.map(withoutHost(used)), used };
}

describe('a host', () => {
  test.each(cases<Expected>(new URL('./testdata/', import.meta.url)))(
    '$name',
    async ({ input, expect: wanted }) => {
      const { used, ...found } = await played(input[0] as Input);
      const { requests, headers, ...outcome } = wanted;
      expect(found).toMatchObject({ warnings: [], ...outcome });
      if (requests) expect([...used.requests].sort()).toEqual([...requests].sort());
      for (const sent of headers ? used.headers : []) expect(sent).toMatchObject(headers ?? {});
      expect(JSON.stringify(found)).not.toContain('secret-token');
    },
  );
});

const repository = (name: string) => ({
  id: 1,
  name,
  owner: { login: 'acme' },
  default_branch: 'main',
  ssh_url: `git@example.com:acme/${name}.git`,
  clone_url: `https://example.com/acme/${name}.git`,
});
const repos = 'GET /api/v3/orgs/acme/repos?per_page=100';
const main = 'GET /api/v3/repos/acme/one/branches/main';
const branch = { name: 'main', commit: { sha: 'a'.repeat(40) } };
const contents = `GET /api/v3/repos/acme/one/contents/deploy?ref=${'a'.repeat(40)}`;
const github = { organization: 'acme', api: 'HOST', tokenRef: { secretName: 'secret', key: 'token' } };

async function serving(routes: Record<string, ScmAnswer | ScmAnswer[]>) {
  const server = await scmServer(routes);
  servers.push(server);
  const deps = wired(server);
  const clock = virtualClock({ start: now });
  const ctx: Ctx = { signal: new AbortController().signal, clock, log: silent };
  return {
    server,
    deps,
    ctx,
    clock,
    list: (more: object = {}) => listRepositories(ctx, at(server, { github, ...more }), deps),
  };
}

describe('the next pass', () => {
  test('requests lists conditionally, and paths of the same commit not at all', async () => {
    const { server, list } = await serving({
      [repos]: { body: [repository('one')], etag: '"1"' },
      [main]: { body: branch, etag: '"2"' },
      [contents]: { body: [] },
    });
    const filters = [{ pathsExist: ['deploy/'] }];
    const first = await list({ filters });
    expect(await list({ filters })).toEqual(first);
    expect(first).toHaveLength(1);
    expect(server.requests).toEqual([repos, main, contents, repos, main]);
    expect(server.headers.map((sent) => sent['if-none-match'])).toEqual([
      undefined,
      undefined,
      undefined,
      '"1"',
      '"2"',
    ]);
  });

  test('does not request a host that limits requests before the time it named', async () => {
    const reset = `${now.getTime() / 1000 + 600}`;
    const limited = { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } };
    const { server, list, clock } = await serving({ [repos]: [limited, { body: [] }] });
    const refused = {
      code: 'Unavailable',
      message: expect.stringMatching(
        /^GitHub at 127\.0\.0\.1:\d+ limits our requests for organization acme: it accepts them again after 2026-03-01T10:10:00Z/,
      ),
    };
    await expect(list()).rejects.toMatchObject(refused);
    await clock.advance(599_000);
    await expect(list()).rejects.toMatchObject(refused);
    expect(server.requests).toHaveLength(1);
    await clock.advance(2_000);
    expect(await list()).toEqual([]);
  });
});

test('a GitHub App lists with a token of its installation, which is found by the owner and kept', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const lent = { token: 'ghs_lent', expires_at: '2026-03-01T11:00:00Z' };
  const { server, deps, ctx } = await serving({
    'GET /api/v3/orgs/acme/installation': { body: { id: 7 } },
    'POST /api/v3/app/installations/7/access_tokens': { body: lent },
    [repos]: { body: [] },
  });
  const app = { ...deps, githubApp: async () => ({ id: 42, privateKey: key, api: server.url }) };
  const spec = { github: { organization: 'acme', appSecretName: 'app' } } as object;
  expect(await listRepositories(ctx, spec, app)).toEqual([]);
  expect(await listRepositories(ctx, spec, app)).toEqual([]);
  expect(server.requests).toHaveLength(4);
  expect(server.headers.at(-1)?.authorization).toBe('Bearer ghs_lent');
});

describe('a hostile host', () => {
  const limited = (server: ScmServer, limits: object): ScmDeps => {
    const deps = wired(server);
    const client = new ScmClient({
      outside: () => ({ egress: { loopback: true }, trust: { certificates: {}, knownHosts: '' }, proxy: {} }),
      limits,
    });
    clients.push(client);
    return { ...deps, client };
  };
  const ctx: Ctx = { signal: new AbortController().signal, clock: realClock, log: silent };

  test.each([
    {
      what: 'hangs',
      answer: { hangs: true },
      limits: { requestMs: 100 },
      wanted: { code: 'Unavailable', message: /is unreachable: it took too long$/ },
    },
    {
      what: 'hangs for all of it',
      answer: { hangs: true },
      limits: { wholeMs: 100 },
      wanted: { code: 'Unavailable', message: /took longer than 0.1 s for all of organization acme/ },
    },
    {
      what: 'answers without end',
      answer: { endless: true },
      limits: {},
      wanted: { code: 'LimitExceeded', message: /the answer of .* has more than 16777216 bytes$/ },
    },
    {
      what: 'has a next page for ever',
      answer: { body: [], headers: { link: `<http://169.254.169.254/?page=1>; rel="next"` } },
      limits: { pages: 3 },
      wanted: { code: 'LimitExceeded', message: /needs a list of more than 3 pages for organization acme/ },
    },
    {
      what: 'lists more than may be requested',
      answer: { body: [repository('one'), repository('two')] },
      limits: { requests: 2 },
      wanted: { code: 'LimitExceeded', message: /more than 2 requests/ },
    },
  ])('that $what ends with an error', async ({ answer, limits, wanted: { code, message } }) => {
    const { server } = await serving({
      [repos]: answer,
      'GET /api/v3/orgs/acme/repos?page=1&per_page=100': answer,
      [main]: { body: branch },
    });
    const deps = limited(server, limits);
    await expect(listRepositories(ctx, at(server, { github }), deps)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('on an address that is not permitted is not connected to', async () => {
    const { server, deps } = await serving({});
    const client = new ScmClient({
      outside: () => ({
        egress: { loopback: false },
        trust: { certificates: {}, knownHosts: '' },
        proxy: {},
      }),
    });
    clients.push(client);
    for (const api of [
      server.url,
      'http://localhost:1',
      'http://169.254.169.254',
      'http://[::ffff:169.254.169.254]/',
    ]) {
      await expect(
        listRepositories(ctx, { github: { ...github, api } } as object, { ...deps, client }),
      ).rejects.toMatchObject({
        code: 'PermissionDenied',
        message: expect.stringMatching(
          /^GitHub cannot be listed for organization acme: host .* may not be fetched from/,
        ),
      });
    }
    expect(server.requests).toEqual([]);
  });
});
