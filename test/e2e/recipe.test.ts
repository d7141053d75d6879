import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { parse } from '#lang/yaml';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { isSettled } from './fairlead.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// The settings of seeds 000, 001 and 003 in one installation, on the embedded cluster or on the Knative of
// FAIRLEAD_TEST_KUBECONFIG (npm run test:knative).
let seeds: Seeds;
let repository: GitRepositoryFixture;

beforeAll(async () => {
  seeds = await startSeeds();
  repository = await seeds.repository('your-org/recipes');
});
afterAll(() => seeds?.stop());

type Policy = { readonly syncOptions?: readonly string[]; readonly ignoreDifferences?: unknown };

async function deploy(name: string, { syncOptions = [], ignoreDifferences }: Policy = {}): Promise<void> {
  await seeds.apply(namespace(name), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 0 }, syncOptions },
      ...(ignoreDifferences !== undefined && { ignoreDifferences }),
    },
  });
}

const settledAt = (name: string, commit: string): Promise<Application> =>
  seeds.fairlead.until(
    name,
    `settled at ${commit}`,
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );

const document = (file: string): Record<string, unknown> =>
  parse(seeds.text(file)) as Record<string, unknown>;
const setting = (data: Record<string, string>): Promise<string> =>
  seeds.kubectl(
    ...['patch', 'configmap/argocd-cm', '-n', 'argocd', '--type=merge', '-p', JSON.stringify({ data })],
  );
const base = (tag: string): string => seeds.text('001/knative-service.yaml').replace(':latest', `:${tag}`);

/** Number of operations that the application has completed. */
const deployments = ({ status }: Application): number => status?.history?.length ?? 0;

test('ServerSideApply alone: the base Service of seed 001 is Synced after its sync, and stays so', async () => {
  const first = await repository.commit({ 'applied/service.yaml': base('v1') });
  await deploy('applied', { syncOptions: ['ServerSideApply=true'] });
  const app = await settledAt('applied', first);
  expect(deployments(app)).toBe(1);
  const second = await settledAt('applied', await repository.commit({ 'applied/service.yaml': base('v2') }));
  expect(deployments(second)).toBe(2);
  // an item that leaves the list in Git leaves the cluster too
  const without = base('v2').replace(/ {10}ports:\n {12}- containerPort: 8080\n/, '');
  expect(without).not.toBe(base('v2'));
  const third = await settledAt('applied', await repository.commit({ 'applied/service.yaml': without }));
  expect(deployments(third)).toBe(3);
});

test('seeds 000, 001 and 003 together: every commit is deployed once, with server-side diff on', async () => {
  await setting({ 'resource.server-side-diff': 'true' });
  const { ignoreDifferences } = document('000/ignore-differences.yaml');
  const first = await repository.commit({ 'together/service.yaml': base('v1') });
  await deploy('together', {
    syncOptions: ['ServerSideApply=true', 'RespectIgnoreDifferences=true'],
    ignoreDifferences,
  });
  expect(deployments(await settledAt('together', first))).toBe(1);
  const second = await repository.commit({ 'together/service.yaml': base('v2') });
  expect(deployments(await settledAt('together', second))).toBe(2);
  // what was deployed before the setting keeps its status
  expect((await seeds.cli('app', 'get', 'applied')).includes('Unknown')).toBe(false);
});

test('server-side diff is switched on for existing applications and off again, and each stays Synced', async () => {
  const selector = (app: string) => ({ selector: { matchLabels: { app } }, template: podOf(app) });
  const web = (spec: object) =>
    JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
  const podOf = (app: string, image = 'web:1') => ({
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 8080 }] }] },
  });
  const release = (tag: string) =>
    repository.commit({
      'applied/service.yaml': base(tag),
      'plain/web.yaml': web({ ...selector('web'), template: podOf('web', `web:${tag}`) }),
    });
  const names = ['applied', 'plain'];
  await setting({ 'resource.server-side-diff': 'false' });
  let commit = await release('v3');
  await deploy('plain');
  for (const name of names) await settledAt(name, commit);

  // a change that the server refuses shows by which way the control plane compares
  await repository.commit({ 'refused/web.yaml': web(selector('one')) });
  await deploy('refused');
  await seeds.fairlead.until('refused', 'settled', isSettled);
  await seeds.cli('app', 'set', 'refused', '--sync-policy', 'none');
  await repository.commit({ 'refused/web.yaml': web(selector('two')) });
  const comparedTo = (status: string) =>
    seeds.fairlead.until('refused', status, (app) => app.status?.sync?.status === status);
  await comparedTo('OutOfSync');

  for (const [isOn, shown, tag] of [
    ['true', 'Unknown', 'v4'],
    ['false', 'OutOfSync', 'v5'],
  ] as const) {
    await setting({ 'resource.server-side-diff': isOn });
    await comparedTo(shown);
    const before: number[] = [];
    for (const name of names) {
      expect(await seeds.cli('app', 'get', name, '--hard-refresh')).toMatch(/Sync Status:\s+Synced/);
      const app = await seeds.fairlead.until(name, 'settled', isSettled);
      expect(app.status?.conditions ?? []).toEqual([]);
      before.push(deployments(app));
    }
    commit = await release(tag);
    const after: number[] = [];
    for (const name of names) after.push(deployments(await settledAt(name, commit)));
    expect(after).toEqual(before.map((count) => count + 1));
  }
  await setting({ 'resource.server-side-diff': 'true' });
  await comparedTo('Unknown');
});

test('server-side diff with a named revision: the blue-green of seed 001 stays Synced', async () => {
  const named = (name: string) =>
    base(name).replace(
      '  template:\n    metadata:\n',
      `  template:\n    metadata:\n      name: product-import-${name}\n`,
    );
  await settledOnce('named', named('v1'));
  const candidate = await repository.commit({ 'named/service.yaml': seeds.text('001/blue-green.yaml') });
  await settledAt('named', candidate);
  const refreshed = await seeds.cli('app', 'get', 'named', '--hard-refresh');
  expect(refreshed).toMatch(/Sync Status:\s+Synced/);
});

test('a root application gets past an ApplicationSet that generates nothing (seed 003)', async () => {
  const set = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'infrastructure', namespace: 'argocd' },
    spec: {
      generators: [{ list: { elements: [] } }],
      template: {
        metadata: { name: '{{name}}' },
        spec: {
          project: 'default',
          destination: { name: 'in-cluster' },
          source: { repoURL: repository.dir },
        },
      },
    },
  };
  const wave = { annotations: { 'argocd.argoproj.io/sync-wave': '1' } };
  const after = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'after', ...wave } };
  const commit = await repository.commit({
    'root/set.yaml': JSON.stringify(set),
    'root/after.yaml': JSON.stringify(after),
  });
  await deploy('root');
  const app = await settledAt('root', commit);
  expect(app.status?.conditions ?? []).toEqual([]);
});

async function settledOnce(name: string, text: string): Promise<void> {
  const commit = await repository.commit({ [`${name}/service.yaml`]: text });
  await deploy(name);
  await settledAt(name, commit);
}
