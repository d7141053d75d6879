import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// What an operator searches the log of the started program for, in the words of Kubernetes and Git.
let fairlead: Fairlead;
let repository: GitRepositoryFixture;

type Line = { readonly level: string; readonly msg: string } & Record<string, unknown>;

beforeAll(async () => {
  process.env.FAIRLEAD_LOG_LEVEL = 'info'; // as an installation logs
  fairlead = await startFairlead('--no-demo').finally(() => {
    delete process.env.FAIRLEAD_LOG_LEVEL;
  });
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({
    'app/config.yaml': JSON.stringify(configMap('settings')),
    'app/old.yaml': JSON.stringify(configMap('old')),
    'app/rollout.yaml': JSON.stringify(rollout),
    'broken/config.yaml': JSON.stringify(configMap('Not_A_Name')),
  });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const rollout = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary: { steps: [{ setWeight: 50 }] } },
  },
};
const application = (name: string, source: object = {}, spec: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${repository.dir}`, path: 'app', targetRevision: 'HEAD', ...source },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: { prune: true }, retry: { limit: 1, backoff: { duration: '1s' } } },
    ...spec,
  },
});

const lines = (word: string): Line[] =>
  fairlead
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg.includes(word));
/** Waits for a line whose message contains the word and that has these fields. */
const logs = (word: string, fields: object): Promise<void> =>
  eventually(() => expect(lines(word)).toContainEqual(expect.objectContaining(fields)));

test('applied and deleted objects are logged with kind, namespace and name', async () => {
  await fairlead.apply(application('shop'));
  await fairlead.until('shop', 'settled', isSettled);
  const at = { kind: 'ConfigMap', namespace: 'default' };
  await logs('applied', { ...at, name: 'settings', verb: 'created', key: 'argocd/shop' });
  await repository.commit({ 'app/old.yaml': undefined });
  await fairlead.kubectl(
    'annotate',
    'application',
    'shop',
    '-n',
    'argocd',
    'argocd.argoproj.io/refresh=normal',
  );
  await logs('deleted', { ...at, name: 'old', key: 'argocd/shop' });
});

test('evicted pods of a restarted Rollout', async () => {
  const body = JSON.stringify({ spec: { restartAt: new Date().toISOString() } });
  const patch = ['patch', 'rollout', 'web', '-n', 'default', '--type', 'merge', '-p', body];
  expect(await fairlead.kubectl(...patch)).toMatchObject({ code: 0 });
  await logs('evicted', { namespace: 'default', name: expect.stringMatching(/^web-/) });
});

test('a sync that a window blocks, requested or automated', async () => {
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'closed', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] }],
    },
  });
  await fairlead.apply(application('closed', {}, { project: 'closed' }));
  await logs('automated sync blocked', { key: 'argocd/closed', why: expect.stringContaining('deny window') });
  await fairlead.apply({
    ...application('by-hand', {}, { project: 'closed', syncPolicy: {} }),
    operation: { sync: {} },
  });
  await logs('sync blocked', { key: 'argocd/by-hand', why: expect.stringContaining('deny window') });
});

test('an unreachable repository and an unreachable cluster', async () => {
  await fairlead.apply(application('no-host', { repoURL: 'http://user:word@127.0.0.1:9/none.git' }));
  await logs('repository is unreachable', { level: 'warn', repository: 'http://127.0.0.1:9/none.git' });
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'far',
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name: 'far', server: 'https://127.0.0.1:9', config: '{}' },
  });
  await logs('cluster is unreachable', { level: 'warn', cluster: 'https://127.0.0.1:9' });
});

test('a set that fails again for the same reason is logged once', async () => {
  const set = ['applicationset', 'unread', '-n', 'argocd'];
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'unread', namespace: 'argocd' },
    spec: {
      generators: [
        { git: { repoURL: 'http://127.0.0.1:9/set.git', revision: 'HEAD', directories: [{ path: '*' }] } },
      ],
      template: { metadata: { name: '{{path.basename}}' }, spec: application('x').spec },
    },
  });
  await logs('applicationset not applied', { level: 'warn', key: 'argocd/unread' });
  const passes = async (): Promise<number> => {
    const page = await (await fetch(`${fairlead.url}/metrics`)).text();
    return Number(/^argocd_appset_reconcile_count\{[^}]*"unread"[^}]*\} (\d+)/m.exec(page)?.[1] ?? 0);
  };
  for (const label of ['one', 'two', 'three']) {
    const before = await passes();
    const labels = { spec: { template: { metadata: { labels: { label } } } } };
    await fairlead.kubectl('patch', ...set, '--type=merge', '-p', JSON.stringify(labels));
    await eventually(async () => expect(await passes()).toBeGreaterThan(before));
  }
  expect(lines('applicationset not applied').filter(({ key }) => key === 'argocd/unread')).toHaveLength(1);
});

test('a retry of a failed sync', async () => {
  await fairlead.apply(application('broken', { path: 'broken' }));
  await logs('retry', { key: 'argocd/broken', message: expect.stringContaining('Not_A_Name') });
});
