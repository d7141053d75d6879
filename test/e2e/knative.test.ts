import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { isSettled } from './fairlead.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// "Making Argo CD and Knative Services Play Nicely" and "Knative in the GitOps Loop", typed in as they stand, with Knative
// as the embedded cluster has it or as FAIRLEAD_TEST_KUBECONFIG has it (npm run test:knative).
let seeds: Seeds;
let repository: GitRepositoryFixture;

beforeAll(async () => {
  seeds = await startSeeds();
  repository = await seeds.repository('your-org/services');
  await seeds.apply(namespace('agents'), namespace('imports'));
});
afterAll(() => seeds?.stop());

const until = (name: string, what: string, isSo: (app: Application) => boolean) =>
  seeds.fairlead.until(name, what, isSo);

function application(name: string, path: string, more: object = {}) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${repository.dir}`, path, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 0 } },
      ...more,
    },
  };
}

const agent = (container: object = {}, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'agent' },
    spec: {
      template: { spec: { containers: [{ image: 'ghcr.io/demo/agent:v1', ...container }] } },
      ...more,
    },
  });

const healthyAt = (commit: string) => (app: Application) =>
  isSettled(app) && app.status?.sync?.revision === commit;
const serviceOf = async (inside: string, name: string): Promise<Record<string, unknown>> =>
  JSON.parse(await seeds.kubectl('get', 'ksvc', name, '-n', inside, '-o', 'json'));

test('000: a Knative Service is deployed and found healthy, with nothing configured (X-42)', async () => {
  const commit = await repository.commit({ 'agents/agent.yaml': agent() });
  await seeds.apply(application('agents', 'agents'));
  await until('agents', 'healthy', healthyAt(commit));
});

test('000: what Knative owns is no drift; a new image makes a revision, and a probe without a port says why not', async () => {
  const second = await repository.commit({
    'agents/agent.yaml': agent({ image: 'ghcr.io/demo/agent:v2' }),
  });
  await until('agents', 'healthy again', healthyAt(second));
  const { status } = await serviceOf('agents', 'agent');
  expect(status).toMatchObject({ latestReadyRevisionName: 'agent-00002' });
  const probe = { startupProbe: { httpGet: { path: '/healthz' } } };
  await repository.commit({
    'agents/agent.yaml': agent({ image: 'ghcr.io/demo/agent:v3', ...probe }),
  });
  const isDegraded = ({ status: now }: Application): boolean => now?.health?.status === 'Degraded';
  const app = await until('agents', 'degraded', isDegraded);
  const { stdout } = await seeds.fairlead.cli('app', 'get', 'agents', '-o', 'json');
  const sentence =
    'Revision agent-00003 lacks a port: set startupProbe.httpGet.port to 8080 (container user-container)';
  expect(JSON.parse(stdout).status.resources[0].health.message).toBe(sentence);
  expect(app.status?.health?.message).toBe(`Service agent (${sentence})`);
  expect(app.status?.conditions).toMatchObject([{ message: expect.stringContaining('names no port') }]);
  const fixed = {
    startupProbe: { httpGet: { path: '/healthz', port: 8000 } },
    ports: [{ containerPort: 8000 }],
  };
  const fourth = await repository.commit({
    'agents/agent.yaml': agent({ image: 'ghcr.io/demo/agent:v4', ...fixed }),
  });
  await until('agents', 'healthy after the fix', healthyAt(fourth));
});

/** What product.md lists under doctor; the rule about the traffic is the application's own. */
const faults: readonly RegExp[] = [
  /the startupProbe of container user-container names no port, .* set startupProbe\.httpGet\.port to 8080/,
  /Service faulty: faulty spreads every rollout over 10m/,
  /cpu in the limits of container user-container is 1000m, which Kubernetes stores as 1/,
  /Service faulty: spec\.selector is not a field of a Knative Service/,
  /Service patched: container user-container has no image: a patch that lists containers replaces the list/,
  /the image of container user-container has the tag latest/,
  /declares spec\.traffic, which an ignore rule leaves out/,
  /100 % of the traffic is pinned to faulty-00001, which this manifest does not create/,
];

test('the eight faults of Knative manifests are warnings on the application after its render, before a sync', async () => {
  const container = { name: 'user-container', image: 'ghcr.io/demo/agent:latest' };
  const faulty = {
    ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Service' },
    metadata: { name: 'faulty', annotations: { 'serving.knative.dev/rollout-duration': '10m' } },
    spec: {
      template: {
        spec: {
          containers: [
            {
              ...container,
              startupProbe: { httpGet: { path: '/healthz' } },
              resources: { limits: { cpu: '1000m' } },
            },
          ],
        },
      },
      traffic: [{ revisionName: 'faulty-00001', percent: 100 }],
    },
  };
  const patched = (given: object) => ({
    ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'patched' } },
    spec: { template: { spec: { containers: [{ name: 'user-container', ...given }] } } },
  });
  await repository.commit({
    'faults/faulty.yaml': JSON.stringify(faulty),
    'faults/patched.yaml': JSON.stringify(patched({ image: 'ghcr.io/demo/agent:v1' })),
    'faults/patch.yaml': JSON.stringify(patched({ env: [{ name: 'MODE', value: 'fast' }] })),
    'faults/kustomization.yaml': JSON.stringify({
      resources: ['faulty.yaml', 'patched.yaml'],
      patches: [{ path: 'patch.yaml' }],
      commonLabels: { team: 'agents' },
    }),
  });
  const ignored = { group: 'serving.knative.dev', kind: 'Service', jsonPointers: ['/spec/traffic'] };
  const syncPolicy = { syncOptions: ['RespectIgnoreDifferences=true'] };
  await seeds.apply(application('faults', 'faults', { syncPolicy, ignoreDifferences: [ignored] }));
  const said = (app: Application): string[] =>
    (app.status?.conditions ?? []).flatMap(({ type, message }) =>
      type === 'ConfigurationWarning' ? [message] : [],
    );
  const app = await until('faults', 'warned of', (one) => said(one).length >= faults.length);
  for (const fault of faults) expect(said(app)).toContainEqual(expect.stringMatching(fault));
});

const base = () => seeds.text('001/knative-service.yaml').replace(':latest', ':v1.0.0');
const revision = (text: string, name: string) =>
  text.replace('  template:\n    metadata:\n', `  template:\n    metadata:\n      name: ${name}\n`);

test('001: the overlay of production is deployed by way of Kustomize, judged by the scripts of the document (X-41)', async () => {
  await seeds.kubectl(...['patch', 'configmap/argocd-cm', '-n', 'argocd', '--type=merge', '-p', scripts()]);
  const commit = await repository.commit({
    'apps/product-import/base/knative-service.yaml': revision(base(), 'product-import-v1'),
    'apps/product-import/base/kustomization.yaml': JSON.stringify({ resources: ['knative-service.yaml'] }),
    'apps/product-import/overlays/production/patches/scale.yaml': seeds.text('001/scale-patch.yaml'),
    'apps/product-import/overlays/production/kustomization.yaml': JSON.stringify({
      resources: ['../../base'],
      patches: [{ path: 'patches/scale.yaml' }],
    }),
  });
  await seeds.apply(application('imports', 'apps/product-import/overlays/production'));
  const app = await until('imports', 'healthy', healthyAt(commit));
  expect(app.status?.resources?.[0]?.health).toMatchObject({
    status: 'Healthy',
    message: 'Service is ready',
  });
  const annotations = '{.spec.template.metadata.annotations}';
  expect(
    await seeds.kubectl('get', 'ksvc/product-import', '-n', 'imports', '-o', `jsonpath=${annotations}`),
  ).toContain('"autoscaling.knative.dev/max-scale":"10"');
});

const scripts = (): string => {
  const [, data = ''] = seeds.text('001/argocd-cm.yaml').split('\ndata:\n');
  const entries = [...data.matchAll(/^ {2}(\S+): \|\n((?: {4}.*\n?)+)/gm)];
  return JSON.stringify({
    data: Object.fromEntries(entries.map(([, key, text = '']) => [key, text.replaceAll(/^ {4}/gm, '')])),
  });
};

test('001: blue-green: the candidate is reached by its tag alone until Git gives it the traffic (X-8)', async () => {
  const path = 'apps/product-import/overlays/production/kustomization.yaml';
  const file = 'apps/product-import/base/knative-service.yaml';
  const candidate = await repository.commit({
    [file]: seeds.text('001/blue-green.yaml'),
    [path]: JSON.stringify({ resources: ['../../base'] }),
  });
  await until('imports', 'healthy with a candidate', healthyAt(candidate));
  await shows('{.status.traffic[?(@.tag=="candidate")].revisionName}=product-import-v2');
  const { status } = await serviceOf('imports', 'product-import');
  expect(status).toMatchObject({
    traffic: [
      { revisionName: 'product-import-v1', percent: 100 },
      {
        revisionName: 'product-import-v2',
        tag: 'candidate',
        url: expect.stringContaining('candidate-product-import.imports'),
      },
    ],
  });
  const promoted = seeds
    .text('001/blue-green.yaml')
    .replace(/ {2}traffic:[\s\S]*$/, indented(seeds.text('001/traffic-validated.yaml')));
  await until('imports', 'promoted', healthyAt(await repository.commit({ [file]: promoted })));
  await shows('{.status.traffic[0].revisionName}=product-import-v2');
  const after = await serviceOf('imports', 'product-import');
  expect(after.status).toMatchObject({ traffic: [{ revisionName: 'product-import-v2', percent: 100 }] });
});

test('000 and 001 together: applied by the server, a named revision may get other traffic as well (X-7)', async () => {
  const named = (percent: number) =>
    JSON.stringify({
      ...JSON.parse(agent()),
      metadata: { name: 'both' },
      spec: {
        template: {
          metadata: { name: 'both-v1' },
          spec: { containers: [{ image: 'ghcr.io/demo/agent:v1', resources: { limits: { cpu: '1000m' } } }] },
        },
        traffic: [
          { revisionName: 'both-v1', percent, tag: 'stable' },
          { latestRevision: true, percent: 100 - percent },
        ],
      },
    });
  const first = await repository.commit({ 'both/both.yaml': named(100) });
  await seeds.apply(
    namespace('both'),
    application('both', 'both', {
      syncPolicy: { automated: {}, retry: { limit: 0 }, syncOptions: ['ServerSideApply=true'] },
    }),
  );
  await until('both', 'healthy', healthyAt(first));
  await until('both', 'healthy again', healthyAt(await repository.commit({ 'both/both.yaml': named(90) })));
  const { spec } = await serviceOf('both', 'both');
  expect(spec).toMatchObject({ traffic: [{ percent: 90 }, { percent: 10 }] });
});

/** The script of the document takes a Ready of the last generation for one of this; what Knative itself says is waited for. */
const shows = (what: string) =>
  seeds.kubectl('wait', 'ksvc/product-import', '-n', 'imports', '--timeout=60s', `--for=jsonpath=${what}`);

const indented = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => `  ${line}\n`)
    .join('');
