import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { gitRepository, temporaryFolder } from '../git-repository.ts';
import { appOf, configMap, type Plane, startPlane } from './in-process.ts';

// What an operator changes in Secrets and ConfigMaps takes effect at once, without a restart and without a refresh: the
// interval is off, so that nothing but the change itself can be what wakes an application.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let https: GitHttpServer;
let plane: Plane;

beforeAll(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, 'srv');
  for (const name of ['one', 'two']) {
    const repo = await gitRepository(join(root, name));
    await repo.commit({ 'cm.yaml': JSON.stringify(configMap(`from-${name}`, { a: '1' })) });
  }
  const authorization = `Basic ${Buffer.from('joe:right').toString('base64')}`;
  https = await gitHttpServer({ root, authorization });
  plane = await startPlane({ cm: { 'timeout.reconciliation': '0s' } });
});
afterAll(async () => {
  await plane.stop();
  await https.close();
  await folder.remove();
});

const secret = (name: string, type: string, stringData: Record<string, string>): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
    stringData,
  }) as KubeObject;
const login = (password: string) => ({ username: 'joe', password });
const application = (name: string, more: Partial<Application['spec']> = {}): Application =>
  appOf(plane, name, {
    source: { repoURL: `${https.url}/${name}`, path: '.', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    ...more,
  });
const isFailing = ({ status }: Application): boolean =>
  status?.conditions?.some(({ type }) => type === 'ComparisonError') ?? false;
const isCompared = ({ status }: Application): boolean =>
  Boolean(status?.sync?.revision) && status?.sync?.status !== 'Unknown';
const looks = async (...names: string[]): Promise<string[]> =>
  Promise.all(names.map(async (name) => (await plane.app(name)).status?.reconciledAt ?? ''));
const edit = (name: string, data: Record<string, string | null>) =>
  plane.kube.patch(
    plane.ctx,
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name },
    { type: 'merge', body: { data } },
  );

test('credentials that come, change and go are heeded by those who ask with them, at once', async () => {
  await plane.apply(secret('two', 'repository', { url: `${https.url}/two`, ...login('right') }));
  await plane.apply(application('one'), application('two'));
  await plane.untilApp('one', 'refused', isFailing);
  await plane.untilApp('two', 'compared', isCompared);
  const [before] = await looks('two');

  await plane.apply(secret('one', 'repository', { url: `${https.url}/one`, ...login('right') }));
  await plane.untilApp('one', 'compared', isCompared);
  await plane.apply(secret('one', 'repository', { url: `${https.url}/one`, ...login('wrong') }));
  const refused = await plane.untilApp('one', 'refused', isFailing);
  // seed 004 §23.1: which step, which repository, and what to do about it
  expect(refused.status?.conditions?.[0]?.message).toMatch(
    /^source failure: .*one.*; what is shown was known at /,
  );
  expect(refused.status?.resources?.map(({ name }) => name)).toEqual(['from-one']);
  await plane.apply(secret('one', 'repository', { url: `${https.url}/one`, ...login('right') }));
  await plane.untilApp('one', 'compared', (app) => isCompared(app) && !isFailing(app));

  const one = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'one' };
  await plane.kube.delete(plane.ctx, one);
  await plane.untilApp('one', 'refused', isFailing);
  await plane.apply(secret('all', 'repo-creds', { url: https.url, ...login('right') }));
  await plane.untilApp('one', 'compared', (app) => isCompared(app) && !isFailing(app));
  expect(await looks('two')).toEqual([before]); // it has a record of its own
});

test('an entry of argocd-cm is heeded by those that have such a resource, at once', async () => {
  const before = await looks('one', 'two');
  await plane.repository.commit({
    'service/service.yaml': JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }], selector: { app: 'web' } },
    }),
  });
  const automated = { automated: {} };
  const destination = { server: 'https://kubernetes.default.svc', namespace: 'default' };
  await plane.apply(appOf(plane, 'service', { destination, syncPolicy: automated }));
  await plane.untilApp('service', 'healthy', ({ status }) => status?.health?.status === 'Healthy');
  await edit('argocd-cm', {
    'resource.customizations.health.Service': "return { status = 'Suspended', message = 'told so' }",
  });
  await plane.untilApp('service', 'suspended', ({ status }) => status?.health?.status === 'Suspended');
  await edit('argocd-cm', { 'resource.customizations.health.Service': null });
  await plane.untilApp('service', 'healthy', ({ status }) => status?.health?.status === 'Healthy');
  expect(await looks('one', 'two')).toEqual(before);
});

test('applications of another namespace are looked at as soon as argocd-cmd-params-cm names it', async () => {
  const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  const params = { name: 'argocd-cmd-params-cm', namespace: 'argocd' };
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'team', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      sourceNamespaces: ['team'],
    },
  } as KubeObject;
  const app = application('two', { project: 'team' });
  await plane.apply(team, project, { ...app, metadata: { name: 'theirs', namespace: 'team' } });
  await plane.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: params });
  await plane.pass(5_000);
  expect((await plane.app('theirs', 'team')).status).toBeUndefined();
  await edit('argocd-cmd-params-cm', { 'application.namespaces': 'team' });
  await plane.until('theirs is compared', () => plane.app('theirs', 'team'), isCompared);
});
