import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type PrometheusServer, prometheusServer } from '../prometheus-server.ts';
import { type Fairlead, forget, isSettled, onCluster, startFairlead } from './fairlead.ts';

// A Knative canary from Git that a metric rolls back, with Knative as the embedded cluster has it or as FAIRLEAD_TEST_KUBECONFIG has it
// (npm run test:knative).
const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;
const namespace = 'checkout';
let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let prometheus: PrometheusServer;

beforeAll(async () => {
  prometheus = await prometheusServer();
  fairlead = await startFairlead(...(kubeconfig ? [...onCluster(kubeconfig), '--rollouts'] : ['--no-demo']));
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({
    'app/service.yaml': JSON.stringify(service('v1')),
    'app/rollout.yaml': JSON.stringify(rollout),
    'app/analysis.yaml': JSON.stringify(template()),
  });
  expect(await fairlead.apply(application())).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await prometheus?.close();
});

const service = (version: string) => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'cart' },
  spec: { template: { spec: { containers: [{ image: `ghcr.io/demo/cart:${version}` }] } } },
});
const rollout = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'cart' },
  spec: {
    strategy: {
      canary: {
        trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'cart' } } },
        steps: [
          { setWeight: 20 },
          {
            analysis: {
              templates: [{ templateName: 'success-rate' }],
              args: [{ name: 'revision', valueFrom: { podTemplateHashValue: 'Latest' } }],
            },
          },
          { setWeight: 60 },
        ],
      },
    },
  },
};
const template = () => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'success-rate' },
  spec: {
    args: [{ name: 'revision' }],
    metrics: [
      {
        name: 'success-rate',
        successCondition: 'result[0] >= 0.95',
        provider: { prometheus: { address: prometheus.url, query: 'rate{revision="{{args.revision}}"}' } },
      },
    ],
  },
});
const application = () => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'checkout', namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${repository.dir}`, path: 'app', targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  },
});

const until = (what: string, isSo: (app: Application) => boolean) => fairlead.until('checkout', what, isSo);
const traffic = async (): Promise<string> => {
  const path = '{range .spec.traffic[*]}{.revisionName} {.percent} {.tag};{end}';
  const args = ['get', 'ksvc', 'cart', '-n', namespace, '-o', `jsonpath=${path}`];
  return (await fairlead.kubectl(...args)).stdout;
};

test('the first version gets all traffic, by its name, and that is no drift', async () => {
  const app = await until('settled', isSettled);
  expect(await traffic()).toBe('cart-00001 100 ;');
  expect(app.status?.resources?.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    'AnalysisTemplate Synced',
    'Rollout Synced',
    'Service Synced',
  ]);
});

test('RK-1: the Rollout owns the traffic: it is shown so, and a shift beside it is refused', async () => {
  const { host } = new URL(fairlead.url);
  const login = ['login', host, '--username', 'admin', '--password', fairlead.password];
  expect(await fairlead.cli(...login)).toMatchObject({ code: 0 });
  const { stdout } = await fairlead.cli('knative', 'traffic', 'show', 'checkout');
  expect(stdout).toContain('Rollout cart moves the traffic by its steps');
  for (const mode of [[], ['--override', '--reason', 'a try']]) {
    const to = ['--to', 'cart-00001', ...mode];
    const refused = await fairlead.cli('knative', 'traffic', 'promote', 'checkout', ...to);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('use fairlead rollouts promote, abort or retry cart -n checkout');
  }
});

test('vector 65: a failing metric takes the traffic back, and the application says why in its first sentence', async () => {
  prometheus.answer(0.5);
  const commit = await repository.commit({ 'app/service.yaml': JSON.stringify(service('v2')) });
  const app = await until(
    'rolled back',
    ({ status }) => status?.health?.status === 'Degraded' && status.sync?.revision === commit,
  );
  expect(app.status?.sync?.status).toBe('Synced');
  expect(app.status?.health).toMatchObject({
    message:
      'Rollout cart (aborted revision 2: success-rate measured [0.5], successCondition result[0] >= 0.95; failed (1) > failureLimit (0))',
  });
  expect(await traffic()).toBe('cart-00001 100 ;cart-00002 0 candidate;');
  expect(prometheus.queries).toContain('rate{revision="cart-00002"}');
  const shown = await fairlead.cli('rollouts', 'get', 'cart', '-n', namespace);
  expect(shown.stdout).toMatch(/2 +cart-00002 .*canary/);
  expect(shown.stdout).toMatch(/1 +cart-00001 .*stable/);
});

test('a retry with a good metric brings the version out', async () => {
  prometheus.answer(1);
  expect(await fairlead.cli('rollouts', 'retry', 'cart', '-n', namespace)).toMatchObject({ code: 0 });
  await until('settled', isSettled);
  expect(await traffic()).toBe('cart-00002 100 ;');
});
