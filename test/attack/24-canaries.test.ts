import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { grpcMethods } from '#serve/grpc';
import { type RbacGround, startRbacGround } from '../e2e/rbac/ground.ts';
import { grpcPairs, requestOf } from '../e2e/rbac/grpc-pairs.ts';
import { routeTable } from '../e2e/rbac/table.ts';
import { applicationOf, applicationSetOf } from '../e2e/tenants.ts';
import { gitRepository } from '../git-repository.ts';
import { grpcClient, requestBody } from '../grpc-client.ts';

// Attack 24: a marked secret in every place that has one. Each answer of the API as the administrator, to reads and to writes, in REST
// and in gRPC, the streams, the command line, an export, the log, the events, the metrics and the files of the data folder are
// searched for the marks, as they are and in base64.

const marks = new Set<string>();
const canary = (place: string): string => {
  const mark = `canary-${place}-5f1d`;
  marks.add(mark);
  return mark;
};
const label = (type: string) => ({ 'argocd.argoproj.io/secret-type': type });
const secret = (name: string, stringData: Record<string, string>, labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'argocd', ...(labels && { labels }) },
  stringData,
});
const planted = [
  secret(
    'private-repo',
    {
      ...{ url: 'https://git.example/private', username: 'bot' },
      password: canary('repository'),
      tlsClientCertKey: canary('client-key'),
    },
    label('repository'),
  ),
  secret(
    'template',
    { url: 'https://git.example/', sshPrivateKey: canary('ssh-key'), bearerToken: canary('bearer') },
    label('repo-creds'),
  ),
  secret(
    'far',
    {
      ...{ name: 'far', server: 'https://far.example' },
      config: JSON.stringify({
        bearerToken: canary('cluster'),
        tlsClientConfig: { keyData: canary('cluster-key') },
      }),
    },
    label('cluster'),
  ),
  secret('argocd-notifications-secret', { 'slack-token': canary('notifications') }),
];
const deployed = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', annotations: { 'example.com/token': canary('annotation') } },
  stringData: { password: canary('git') },
};
const sourced = {
  repoURL: `https://joe:${canary('url')}@git.example/x`,
  path: 'chart',
  helm: {
    parameters: [{ name: 'db.password', value: canary('parameter') }],
    values: `auth:\n  token: ${canary('values')}\n`,
  },
};
const plugged = {
  ...sourced,
  helm: undefined,
  plugin: { env: [{ name: 'API_TOKEN', value: canary('env') }] },
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'reader' },
  spec: {
    containers: [
      {
        ...{ name: 'web', image: 'web:1' },
        env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
      },
    ],
  },
};

let tenants: RbacGround;
let client: ReturnType<typeof grpcClient>;
beforeAll(async () => {
  tenants = await startRbacGround();
  const { fairlead } = tenants;
  client = grpcClient(fairlead.url);
  await tenants.configure('argocd-cm', {
    'resource.sensitive.mask.annotations': 'example.com/token',
    'oidc.config': 'name: SSO\nissuer: https://sso.example\nclientID: x\nclientSecret: $oidc.clientSecret\n',
  });
  const data = { 'oidc.clientSecret': canary('oidc'), 'webhook.github.secret': canary('webhook') };
  const patch = JSON.stringify({ stringData: data });
  await fairlead.kubectl('-n', 'argocd', 'patch', 'secret', 'argocd-secret', '--type=merge', '-p', patch);
  for (const one of planted) await fairlead.apply(one);
  await fairlead.kubectl('create', 'namespace', 'db');
  const repository = await gitRepository(join(fairlead.folder, 'with-secret'));
  await repository.commit({ 'db.yaml': JSON.stringify(deployed), 'pod.yaml': JSON.stringify(pod) });
  const web = applicationOf('db', 'shop', `file://${repository.dir}`);
  await fairlead.apply({
    ...web,
    spec: { ...web.spec, syncPolicy: { automated: {} } },
  });
  await fairlead.until('db', 'Synced', ({ status }) => status?.sync?.status === 'Synced');
  // drift: a comparison of two values of a Secret
  const drift = JSON.stringify({ stringData: { password: canary('live') } });
  await fairlead.kubectl('-n', 'db', 'patch', 'secret', 'db', '--type=merge', '-p', drift);
  await fairlead.until('db', 'OutOfSync', ({ status }) => status?.sync?.status === 'OutOfSync');
  const set = applicationSetOf('fleet', 'shop', sourced.repoURL);
  await fairlead.apply({
    ...set,
    spec: {
      ...set.spec,
      template: { ...set.spec.template, spec: { ...set.spec.template.spec, source: sourced } },
    },
  });
  for (const [name, source] of [
    ['sourced', sourced],
    ['plugged', plugged],
  ] as const) {
    const app = applicationOf(name, 'shop', '');
    await fairlead.apply({ ...app, spec: { ...app.spec, source: { ...source, targetRevision: 'main' } } });
    await fairlead.until(name, 'compared', ({ status }) => (status?.conditions ?? []).length > 0);
  }
});
afterAll(async () => {
  client.close();
  await tenants.close();
});

const leaksIn = (text: string): string[] =>
  [...marks].filter((mark) => [mark, Buffer.from(mark).toString('base64')].some((one) => text.includes(one)));

/** The whole answer; of a stream what comes until a refresh was answered. */
async function textOf(method: string, path: string, body?: unknown): Promise<string> {
  const answer = await tenants.ask('admin', method, path, body);
  const reader = answer.body?.getReader();
  if (!path.includes('/stream/') && !path.includes('follow=true')) reader?.releaseLock();
  else {
    const refreshed = tenants.ask('admin', 'GET', '/api/v1/applications/db?refresh=normal');
    const first = await Promise.race([reader?.read(), refreshed.then(() => undefined)]);
    await reader?.cancel();
    return new TextDecoder().decode(first?.value);
  }
  return answer.text();
}

const names = ['db', 'sourced', 'plugged'];
/** The row's own path, and for routes of one application those of every application that has a secret. */
const pathsOf = (path: string): string[] => {
  const secretKind = path.replace(
    'kind=ConfigMap&namespace=web&resourceName=settings',
    'kind=Secret&namespace=db&resourceName=db',
  );
  return [
    path,
    ...names.map((name) => secretKind.replace(/applications\/(web|fn)(?=[/?]|$)/, `applications/${name}`)),
  ];
};

const rows = Object.entries(routeTable);
const reads = rows.filter(([name]) => name.startsWith('GET '));

test.each(reads)('%s shows no secret', async (_name, row) => {
  const { path } = await tenants.prepare(row);
  for (const one of new Set(pathsOf(path)))
    expect([one, leaksIn(await textOf('GET', one))]).toEqual([one, []]);
});

test.each(grpcPairs.filter(({ binding }) => binding.verb === 'GET'))(
  '$name shows no secret',
  async (pair) => {
    const sent = await tenants.prepare(pair.row);
    for (const path of new Set(pathsOf(sent.path))) {
      const bytes = await firstBytes(pair.name, requestOf(pair, { ...sent, path }));
      expect([path, leaksIn(bytes.toString('latin1'))]).toEqual([path, []]);
    }
  },
);

/** The response of a method; of one with a stream its first part, if one comes before a refresh was answered. */
async function firstBytes(name: string, request: unknown): Promise<Buffer> {
  const headers = { token: tenants.tokens.admin };
  if (grpcMethods.get(name)?.answer !== 'stream')
    return (await client.send(`/${name}`, { headers, body: requestBody(name, request) })).body;
  const fixed = {
    ':method': 'POST',
    ':path': `/${name}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const stream = client.session.request({ ...fixed, ...headers });
  stream.end(requestBody(name, request));
  const data = once(stream, 'data').then(([chunk]) => chunk as Buffer);
  const refreshed = tenants.ask('admin', 'GET', '/api/v1/applications/db?refresh=normal');
  const first = await Promise.race([data.catch(() => undefined), refreshed.then(() => undefined)]);
  stream.on('error', () => {}).close();
  return first ?? Buffer.alloc(0);
}

test('the log of a pod with a secret is streamed, without it', async () => {
  const at = '/api/v1/applications/db';
  for (const path of [`${at}/logs?follow=true`, `${at}/pods/reader/logs`, `${at}/logs?download=true`]) {
    const text = await textOf('GET', path);
    expect(text).toContain('container web of image web:1');
    expect(leaksIn(text)).toEqual([]);
  }
});

const sourcedApp = {
  ...applicationOf('sourced', 'shop', ''),
  spec: { ...applicationOf('sourced', 'shop', '').spec, source: { ...sourced, targetRevision: 'main' } },
};
const login = { username: 'bot', password: canary('written-password') };
const far = '/api/v1/clusters/https%3A%2F%2Ffar.example?updatedFields=labels';

/** Writes that hold a secret, and writes to objects that do; what is refused must not return it either. */
const writes: [string, unknown][] = [
  ['POST /api/v1/applications?upsert=true&validate=false', sourcedApp],
  ['POST /api/v1/applications?upsert=true', sourcedApp],
  ['POST /api/v1/applications/preview', sourcedApp],
  ['PUT /api/v1/applications/sourced?validate=false', sourcedApp],
  ['PUT /api/v1/applications/sourced/spec?validate=false', sourcedApp.spec],
  ['PATCH /api/v1/applications/sourced', { patch: '{"metadata":{"labels":{"a":"b"}}}', patchType: 'merge' }],
  ['POST /api/v1/applications/db/sync', { dryRun: true }],
  ['POST /api/v1/applications/db/sync', { manifests: [JSON.stringify(deployed)], dryRun: true }],
  ['POST /api/v1/applications/db/rollback', { id: 0, dryRun: true }],
  ['POST /api/v1/applications/db/compare', {}],
  [
    'POST /api/v1/applications/db/resource?kind=Secret&version=v1&namespace=db&resourceName=db&patchType=application%2Fmerge-patch%2Bjson',
    JSON.stringify({ metadata: { labels: { a: 'b' } } }),
  ],
  [
    'POST /api/v1/applications/db/resource?kind=Secret&version=v1&namespace=db&resourceName=db&dryRun=true',
    JSON.stringify({ stringData: { other: canary('patched') } }),
  ],
  ['POST /api/v1/applicationsets?upsert=true', setWithSecret()],
  ['POST /api/v1/applicationsets/generate', { applicationSet: setWithSecret() }],
  ['POST /api/v1/applicationsets/preview', { applicationSet: setWithSecret() }],
  ['POST /api/v1/repositories', { repo: `https://joe:${canary('in-url')}@git.invalid/x`, ...login }],
  ['POST /api/v1/repositories?upsert=true', { repo: '{REPO}', ...login }],
  ['PUT /api/v1/repositories/https%3A%2F%2Fgit.example%2Fprivate', { repo: 'https://git.example/private' }],
  ['POST /api/v1/repositories/https%3A%2F%2Fgit.invalid%2Fx/validate?password=canary-query-5f1d', 'x'],
  ['POST /api/v1/repocreds', { url: 'https://git.invalid/', sshPrivateKey: canary('written-key') }],
  ['POST /api/v1/repocreds?upsert=true', { url: 'https://git.example/', bearerToken: canary('upserted') }],
  ['PUT /api/v1/repocreds/https%3A%2F%2Fgit.example%2F', { url: 'https://git.example/' }],
  [
    'POST /api/v1/clusters',
    { server: 'https://near.invalid', config: { bearerToken: canary('written-token') } },
  ],
  [`PUT ${far}`, { server: 'https://far.example', labels: { a: 'b' } }],
  ['POST /api/v1/clusters/https%3A%2F%2Ffar.example/rotate-auth', {}],
  ['POST /api/v1/clusters/https%3A%2F%2Ffar.example/invalidate-cache', {}],
  ['POST /api/v1/session', { username: 'admin', password: canary('wrong-password') }],
  [
    'PUT /api/v1/account/password',
    { name: 'jane', currentPassword: '{PASSWORD}', newPassword: canary('new-password') },
  ],
];

function setWithSecret() {
  const { spec, ...set } = applicationSetOf('fleet', 'shop', sourced.repoURL);
  const template = { ...spec.template, spec: { ...spec.template.spec, source: sourced } };
  return { ...set, spec: { ...spec, template } };
}

test.each(writes)('the answer to %s shows no secret', async (name, body) => {
  marks.add('canary-query-5f1d');
  const [method = '', path = ''] = name.split(' ');
  const sent = await tenants.prepare({ path, body, outcome: '' });
  expect(leaksIn(await textOf(method, sent.path, sent.body))).toEqual([]);
});

test.each(grpcPairs.filter(({ binding, name }) => binding.verb !== 'GET' && !/Delete/.test(name)))(
  'the answer to $name shows no secret',
  async (pair) => {
    const sent = await tenants.prepare(pair.row);
    for (const path of new Set(pathsOf(sent.path))) {
      const bytes = await firstBytes(pair.name, requestOf(pair, { ...sent, path }));
      expect([path, leaksIn(bytes.toString('latin1'))]).toEqual([path, []]);
    }
  },
);

test('an export is for its owner alone, and has secrets in Secrets and in the sources that hold them only', async () => {
  const { fairlead } = tenants;
  const file = join(fairlead.folder, 'backup.yaml');
  const { code, stdout, stderr } = await fairlead.cli(
    'admin',
    'export',
    '--out',
    file,
    '--namespace',
    'argocd',
  );
  expect([code, leaksIn(stdout + stderr)]).toEqual([0, []]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const objects = parseAll(await readFile(file, 'utf8')).map(({ value }) => value as unknown as Exported);
  const secrets = objects.filter(({ kind }) => kind === 'Secret');
  expect(leaksIn(JSON.stringify(secrets))).toContain(canary('repository'));
  // what was deployed is no object of the control plane, and an application is as its owner wrote it
  const others = objects.filter(({ kind }) => kind !== 'Secret');
  const written = ['url', 'parameter', 'values', 'env'].map(canary);
  expect(leaksIn(JSON.stringify(others)).filter((mark) => !written.includes(mark))).toEqual([]);
  const settings = others.filter(({ kind }) => !/^Application(Set)?$/.test(kind));
  expect(leaksIn(JSON.stringify(settings))).toEqual([]);
});

type Exported = { kind: string };

test('neither do the log, the events, the metrics and the command line', async () => {
  const { fairlead } = tenants;
  const flags = ['--server', new URL(fairlead.url).host, '--plaintext', '--auth-token', tenants.tokens.admin];
  const printed = await Promise.all([
    fairlead.kubectl('get', 'events', '-A', '-o', 'json'),
    ...names.map((name) => fairlead.cli('app', 'get', name, '-o', 'yaml', ...flags)),
    fairlead.cli('app', 'diff', 'db', ...flags),
    fairlead.cli('app', 'logs', 'db', ...flags),
  ]);
  const texts = printed.map(({ stdout, stderr }) => stdout + stderr);
  const metrics = await (await fetch(`${fairlead.url}/metrics`)).text();
  expect(leaksIn([fairlead.log(), metrics, ...texts].join('\n'))).toEqual([]);
});

test('nor a file of the data folder outside of the store of the cluster', async () => {
  const { dataDir } = tenants.fairlead;
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    if (!file.isFile() || path.startsWith(join(dataDir, 'store'))) continue;
    const leaks = leaksIn((await readFile(path)).toString('latin1'));
    if (leaks.length > 0) found.push(`${path}: ${leaks}`);
  }
  expect(found).toEqual([]);
});
