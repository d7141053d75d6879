import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type ScmAnswer, type ScmServer, scmServer } from '../scm-server.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// ApplicationSets whose parameters come from other hosts, in one started program: Git hosts and a plugin on loopback, which
// deliver webhooks as the real ones do. No set polls within the time of these tests: only the webhooks report changes.

const secret = 'a-secret-of-the-webhook';
const token = 'ghp-token-of-the-generator';
const patience = { timeout: 60_000, interval: 200 };
const api = '/api/v3';
const never = 36_000;

let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let git: GitHttpServer;
let scm: ScmServer;
let plugin: Server;
let pluginAnswer: readonly object[] = [{ name: 'one' }];
const routes: Record<string, ScmAnswer> = {};

const apply = async (object: object): Promise<void> => {
  expect(await fairlead.apply(object)).toMatchObject({ code: 0 });
};
const named = (kind: string, name: string, more: object) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'argocd' },
  ...more,
});

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  repository = await gitRepository(join(fairlead.folder, 'hosted/fleet'));
  await repository.commit({ 'teams/red/a.yaml': '{}' });
  git = await gitHttpServer({ root: join(fairlead.folder, 'hosted') });
  scm = await scmServer(routes);
  plugin = createServer((_request, response) =>
    response.end(JSON.stringify({ output: { parameters: pluginAnswer } })),
  );
  plugin.listen(0, '127.0.0.1');
  await once(plugin, 'listening');
  await fairlead.kubectl(
    ...['patch', 'secret', 'argocd-secret', '-n', 'argocd', '--type=merge'],
    ...['-p', JSON.stringify({ stringData: { 'webhook.github.secret': secret, 'plugin.token': 'x' } })],
  );
  await apply(named('Secret', 'github', { stringData: { token } }));
  const baseUrl = `http://127.0.0.1:${(plugin.address() as AddressInfo).port}`;
  await apply(named('ConfigMap', 'inventory', { data: { baseUrl, token: '$plugin.token' } }));
  const params = { 'applicationsetcontroller.enable.github.api.metrics': 'true' };
  await apply(named('ConfigMap', 'argocd-cmd-params-cm', { data: params }));
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await Promise.all([git?.close(), scm?.close()]);
  plugin?.closeAllConnections();
  plugin?.close();
});

const setOf = (name: string, generator: object, application: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name, namespace: 'argocd' },
  spec: {
    goTemplate: true,
    goTemplateOptions: ['missingkey=error'],
    generators: [generator],
    template: {
      metadata: { name: `${name}-${application}` },
      spec: {
        project: 'default',
        source: { repoURL: `${git.url}/fleet`, path: 'teams/red', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      },
    },
  },
});

async function namesOf(set: string): Promise<string> {
  const words = ['get', 'applications', '-n', 'argocd', '-o', 'jsonpath={.items[*].metadata.name}'];
  const { stdout } = await fairlead.kubectl(...words);
  return stdout
    .split(' ')
    .filter((name) => name.startsWith(`${set}-`))
    .join(' ');
}
const untilNames = (set: string, names: string) => expect.poll(() => namesOf(set), patience).toBe(names);

async function deliver(event: string, payload: object, key = secret): Promise<number> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const { status } = await fetch(`${fairlead.url}/api/webhook`, {
    method: 'POST',
    headers: {
      'x-github-event': event,
      'x-hub-signature-256': signature,
      'content-type': 'application/json',
    },
    body,
  });
  return status;
}

test('a signed push reaches the set that reads its repository, and creates the application', async () => {
  const directories = { repoURL: `${git.url}/fleet`, revision: 'main', directories: [{ path: 'teams/*' }] };
  await apply(setOf('git', { git: { ...directories, requeueAfterSeconds: never } }, '{{ .path.basename }}'));
  await untilNames('git', 'git-red');
  await repository.commit({ 'teams/blue/a.yaml': '{}' });
  const push = {
    ref: 'refs/heads/main',
    repository: { html_url: `${git.url}/fleet`, default_branch: 'main' },
    commits: [{ added: ['teams/blue/a.yaml'], removed: [], modified: [] }],
  };
  expect(await deliver('push', push, 'another key')).toBe(400);
  expect(await deliver('push', push)).toBe(200);
  await untilNames('git', 'git-blue git-red');
});

const pull = (number: number) => ({
  number,
  title: `change ${number}`,
  user: { login: 'ana' },
  head: { ref: `feature/${number}`, sha: String(number).repeat(40) },
  base: { ref: 'main' },
  labels: [],
});
const pulls = `GET ${api}/repos/acme/shop/pulls?per_page=100&state=open`;
const tokenRef = { secretName: 'github', key: 'token' };

test('a pull request that is opened or closed reaches the set that lists its repository', async () => {
  routes[pulls] = { body: [pull(1)] };
  const github = { api: scm.url, owner: 'acme', repo: 'shop', tokenRef };
  const generator = { pullRequest: { github, requeueAfterSeconds: never } };
  await apply(setOf('review', generator, '{{ .branch_slug }}-{{ .number }}'));
  await untilNames('review', 'review-feature-1-1');
  routes[pulls] = { body: [pull(1), pull(2)] };
  const event = {
    action: 'opened',
    repository: { html_url: `${scm.url}/acme/shop`, owner: { login: 'acme' }, name: 'shop' },
  };
  expect(await deliver('pull_request', event)).toBe(200);
  await untilNames('review', 'review-feature-1-1 review-feature-2-2');
  routes[pulls] = { body: [pull(2)] };
  expect(await deliver('pull_request', { ...event, action: 'closed' })).toBe(200);
  await untilNames('review', 'review-feature-2-2');
});

test('one application for each repository of an organization, and a failing host deletes none', async () => {
  const repo = (name: string) => ({
    id: 1,
    name,
    owner: { login: 'acme' },
    default_branch: 'main',
    ssh_url: `git@${name}`,
    clone_url: `${git.url}/${name}`,
  });
  const limit = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999' };
  const list = `GET ${api}/orgs/acme/repos?per_page=100`;
  routes[list] = { headers: limit, body: [repo('web'), repo('api')] };
  for (const name of ['web', 'api'])
    routes[`GET ${api}/repos/acme/${name}/branches/main`] = {
      body: { name: 'main', commit: { sha: 'a'.repeat(40) } },
    };
  const github = { api: scm.url, organization: 'acme', tokenRef, allBraches: true };
  const generator = { scmProvider: { github, cloneProtocol: 'https', requeueAfterSeconds: never } };
  await apply(setOf('org', generator, '{{ .repository }}'));
  await untilNames('org', 'org-api org-web');
  expect(scm.headers.at(-1)?.authorization).toBe(`Bearer ${token}`);
  const conditions = async () =>
    (await fairlead.kubectl('get', 'appset', 'org', '-n', 'argocd', '-o', 'jsonpath={.status.conditions}'))
      .stdout;
  await expect
    .poll(conditions, patience)
    .toContain('spec.generators[0].scmProvider.github.allBraches is not a field');
  routes[list] = { status: 500, text: token };
  const refresh = 'argocd.argoproj.io/application-set-refresh=true';
  await fairlead.kubectl('annotate', 'appset', 'org', '-n', 'argocd', refresh);
  await expect.poll(conditions, patience).toContain('answers with status 500');
  expect(await conditions()).not.toContain(token);
  expect(await namesOf('org')).toBe('org-api org-web');
});

test('the parameters of a plugin, which any push requests again', async () => {
  const generator = { plugin: { configMapRef: { name: 'inventory' }, requeueAfterSeconds: never } };
  await apply(setOf('plugin', generator, '{{ .name }}'));
  await untilNames('plugin', 'plugin-one');
  pluginAnswer = [{ name: 'one' }, { name: 'two' }];
  const other = { html_url: `${git.url}/another`, default_branch: 'main' };
  expect(await deliver('push', { ref: 'refs/heads/main', repository: other, commits: [] })).toBe(200);
  await untilNames('plugin', 'plugin-one plugin-two');
});

test('the metrics page has the sets, their passes and the requests to GitHub, until a set is deleted', async () => {
  const scrape = async () => (await fetch(`${fairlead.url}/metrics`)).text();
  const text = await scrape();
  expect(text).toContain(
    'argocd_appset_info{namespace="argocd",name="git",resource_update_status="ApplicationSetUpToDate"} 1\n',
  );
  expect(text).toContain('argocd_appset_owned_applications{namespace="argocd",name="plugin"} 2\n');
  expect(text).toMatch(/^argocd_appset_reconcile_count\{namespace="argocd",name="git"\} [1-9]/m);
  const set = 'appset_namespace="argocd",appset_name="org"';
  const endpoint = `endpoint="${api}/orgs/acme/repos"`;
  const failed = `argocd_github_api_requests_total{method="GET",${endpoint},status="500",${set}} `;
  expect(Number(text.split(failed)[1]?.split('\n')[0])).toBeGreaterThan(0);
  expect(text).toContain(`argocd_github_api_rate_limit_remaining{${endpoint},${set},resource=""} 4999\n`);
  await fairlead.kubectl('delete', 'appset', 'org', '-n', 'argocd');
  await expect.poll(scrape, patience).not.toMatch(/^argocd_(appset|github)_.*"org"/m);
});

test('a server without a controller generates and previews', async () => {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...[join(import.meta.dirname, '../../dist/main/fairlead.js'), 'server', '--port', '0'],
      ...['--kubeconfig', join(fairlead.dataDir, 'kubeconfig')],
      ...['--data-dir', join(fairlead.folder, 'server'), '--allow-hosts', '127.0.0.1'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH ?? '', HOME: fairlead.folder } },
  );
  try {
    let url = '';
    if (child.stdout)
      for await (const line of createInterface({ input: child.stdout })) {
        url = /ready at (\S+)/.exec(line)?.[1] ?? '';
        if (url) break;
      }
    const { host } = new URL(url);
    const login = await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
    expect(login).toMatchObject({ code: 0 });
    const generator = { git: { repoURL: `${git.url}/fleet`, directories: [{ path: 'teams/*' }] } };
    const file = join(fairlead.folder, 'set.json');
    await writeFile(file, JSON.stringify(setOf('git', generator, '{{ .path.basename }}-new')));
    const generated = await fairlead.cli('appset', 'generate', file, '-o', 'name');
    expect(generated).toMatchObject({ code: 0, stdout: 'argocd/git-blue-new\nargocd/git-red-new\n' });
    const preview = await fairlead.cli('appset', 'generate', file, '--diff');
    expect(preview.stdout).toContain('2 to create, 0 to update, 2 to delete, 0 unchanged');
    expect(await namesOf('git')).toBe('git-blue git-red');
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
