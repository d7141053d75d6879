import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { routeTable } from '../e2e/rbac/table.ts';
import { applicationOf, applicationSetOf, startTenants, type Tenants } from '../e2e/tenants.ts';
import { gitRepository } from '../git-repository.ts';

// Attack 24: a marked secret in every place that has one. Each answer of the API as the administrator, the streams, the command line,
// the log, the events, the metrics and the files of the data folder are searched for the marks.

const canary = (place: string): string => `canary-${place}-5f1d`;
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

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
  const { fairlead } = tenants;
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
  await repository.commit({ 'db.yaml': JSON.stringify(deployed) });
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
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const leaksIn = (text: string): string[] => [...new Set(text.match(/canary-[a-z-]+-5f1d/g) ?? [])];

/** The whole answer; of a stream what comes until a refresh was answered. */
async function textOf(path: string): Promise<string> {
  const answer = await tenants.ask('admin', 'GET', path);
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

const reads = Object.entries(routeTable).filter(([name]) => name.startsWith('GET '));
const names = ['db', 'sourced', 'plugged'];
/** The row's own path, and for routes of one application those of every application that has a secret. */
const pathsOf = (path: string): string[] => {
  const secretKind = path.replace(
    'kind=ConfigMap&namespace=web&resourceName=settings',
    'kind=Secret&namespace=db&resourceName=db',
  );
  return [
    path,
    ...names.map((name) => secretKind.replace(/applications\/web(?=[/?]|$)/, `applications/${name}`)),
  ];
};

test.each(reads)('%s shows no secret', async (_name, { path }) => {
  for (const one of new Set(pathsOf(path))) expect([one, leaksIn(await textOf(one))]).toEqual([one, []]);
});

test('neither do the log, the events, the metrics and the command line', async () => {
  const { fairlead } = tenants;
  const login = ['--server', new URL(fairlead.url).host, '--plaintext', '--auth-token', tenants.tokens.admin];
  const printed = await Promise.all([
    fairlead.kubectl('get', 'events', '-A', '-o', 'json'),
    ...names.map((name) => fairlead.cli('app', 'get', name, '-o', 'yaml', ...login)),
    fairlead.cli('app', 'diff', 'db', ...login),
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
