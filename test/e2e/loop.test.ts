import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type Fairlead, forget, isSettled, onCluster, startFairlead } from './fairlead.ts';

// The whole loop on whatever cluster there is: the one of FAIRLEAD_TEST_KUBECONFIG (npm run test:kubernetes), or the
// embedded one. What passes on both is what a rehearsal on the embedded cluster promises of a real one.
const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;
const namespace = 'loop';
let fairlead: Fairlead;
let repository: GitRepositoryFixture;

beforeAll(async () => {
  fairlead = await startFairlead(...(kubeconfig ? onCluster(kubeconfig) : ['--no-demo']));
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({
    'app/before.yaml': JSON.stringify(job('before', 'PreSync')),
    'app/settings.yaml': JSON.stringify(settings('one')),
    'app/web.yaml': JSON.stringify(deployment('web', 2)),
    'app/worker.yaml': JSON.stringify(deployment('worker', 1)),
    'app/service.yaml': JSON.stringify(service),
    'app/after.yaml': JSON.stringify(job('after', 'PostSync')),
  });
  expect(await fairlead.apply(application)).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const named = (name: string, more: object = {}) => ({ name, ...more });

const deployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: named(name, { annotations: { 'argocd.argoproj.io/sync-wave': '1' } }),
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name: 'main', image: 'example/web:1.0', resources: { limits: { cpu: '1000m' } } }],
      },
    },
  },
});

const settings = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: named('settings'),
  data: { value },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: named('web'),
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

const job = (name: string, hook: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: named(name, { annotations: { 'argocd.argoproj.io/hook': hook } }),
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/job:1.0' }] } },
  },
});

const application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'loop', namespace: 'argocd', finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  get spec() {
    return {
      source: { repoURL: `file://${repository.dir}`, path: 'app', targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        retry: { limit: 0 },
        syncOptions: ['CreateNamespace=true'],
      },
    };
  },
};

const field = async (kind: string, name: string, path: string): Promise<string> =>
  (await fairlead.kubectl('get', kind, name, '-n', namespace, '-o', `jsonpath=${path}`)).stdout;

const settledAt = (commit: string) =>
  fairlead.until(
    'loop',
    `settled at ${commit}`,
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );

test('the first sync makes the namespace, runs the hooks around the waves, and everything gets healthy', async () => {
  const app = await fairlead.until(
    'loop',
    'synced, healthy and done',
    (one) => isSettled(one) && one.status?.operationState?.phase === 'Succeeded',
  );
  const results = app.status?.operationState?.syncResult?.resources ?? [];
  expect(results.map(({ kind, name, hookPhase }) => `${kind} ${name} ${hookPhase ?? ''}`)).toEqual([
    'Namespace loop Running',
    'Job before Succeeded',
    'ConfigMap settings Succeeded',
    'Service web Succeeded',
    'Deployment web Succeeded',
    'Deployment worker Succeeded',
    'Job after Succeeded',
  ]);
  expect(await field('deployment', 'web', '{.status.readyReplicas}')).toBe('2');
});

test('what the cluster fills in and rewrites is no drift', async () => {
  expect(await field('deployment', 'web', '{.spec.template.spec.containers[0].resources.limits.cpu}')).toBe(
    '1',
  );
  const app = await fairlead.until('loop', 'settled', isSettled);
  const declared = app.status?.resources?.filter(({ hook }) => !hook) ?? [];
  expect(declared.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'settings Synced',
    'web Synced',
    'web Synced',
    'worker Synced',
  ]);
});

test('a commit rolls out', async () => {
  const commit = await repository.commit({
    'app/web.yaml': JSON.stringify(deployment('web', 3)),
    'app/settings.yaml': JSON.stringify(settings('two')),
  });
  await settledAt(commit);
  expect(await field('deployment', 'web', '{.status.readyReplicas}')).toBe('3');
  expect(await field('configmap', 'settings', '{.data.value}')).toBe('two');
});

test('drift is healed', async () => {
  await fairlead.kubectl('scale', 'deployment/worker', '-n', namespace, '--replicas=4');
  const healed = ['--for=jsonpath={.spec.replicas}=1', 'deployment/worker', '-n', namespace, '--timeout=30s'];
  expect(await fairlead.kubectl('wait', ...healed)).toMatchObject({ code: 0 });
  await fairlead.kubectl('delete', 'service/web', '-n', namespace);
  const back = ['--for=create', 'service/web', '-n', namespace, '--timeout=30s'];
  expect(await fairlead.kubectl('wait', ...back)).toMatchObject({ code: 0 });
  await fairlead.until('loop', 'settled', isSettled);
});

test('what Git no longer declares is pruned', async () => {
  await settledAt(await repository.commit({ 'app/worker.yaml': undefined }));
  const gone = ['--for=delete', 'deployment/worker', '-n', namespace, '--timeout=30s'];
  expect(await fairlead.kubectl('wait', ...gone)).toMatchObject({ code: 0 });
});

test('a field that may not change fails the sync with the words of the cluster, and the rest goes on', async () => {
  const broken = deployment('web', 3);
  broken.spec.selector.matchLabels.app = 'other';
  broken.spec.template.metadata.labels.app = 'other';
  await repository.commit({ 'app/web.yaml': JSON.stringify(broken) });
  const app = await fairlead.until('loop', 'failed', ({ status }) =>
    (status?.operationState?.message ?? '').includes('field is immutable'),
  );
  expect(app.status?.health?.status).toBe('Healthy');
  await settledAt(await repository.commit({ 'app/web.yaml': JSON.stringify(deployment('web', 3)) }));
});

test('deleted with its finalizer, it takes everything along', async () => {
  expect(await fairlead.kubectl('delete', 'application/loop', '-n', 'argocd', '--timeout=60s')).toMatchObject(
    {
      code: 0,
    },
  );
  const left = await fairlead.kubectl('get', 'deployment,service,job', '-n', namespace, '-o', 'name');
  expect(left.stdout).toBe('');
});
