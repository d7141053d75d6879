import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// Each mistake ends as a condition on its own application that names the thing, the place and the fix.
let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead();
  for (const folder of ['broken/yaml', 'broken/kustomize', 'broken/rejected', 'broken/good']) {
    mkdirSync(join(fairlead.demo, folder), { recursive: true });
  }
  await fairlead.commit({
    'broken/yaml/bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n data: {\n',
    'broken/kustomize/kustomization.yaml': 'resources:\n  - missing.yaml\n',
    'broken/rejected/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n',
    'broken/good/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n',
  });
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const application = (name: string, source: object, more: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${fairlead.demo}`, targetRevision: 'HEAD', ...source },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: {} },
    ...more,
  },
});

test.each([
  [
    'no-repository',
    { repoURL: 'file:///nowhere/at-all.git', path: '.' },
    'ComparisonError',
    /\/nowhere\/at-all/,
  ],
  ['no-path', { path: 'does/not/exist' }, 'ComparisonError', /does\/not\/exist/],
  ['bad-yaml', { path: 'broken/yaml' }, 'ComparisonError', /broken\/yaml\/bad\.yaml.*line \d+/s],
  ['bad-kustomization', { path: 'broken/kustomize' }, 'ComparisonError', /missing\.yaml/],
  [
    'no-revision',
    { path: 'guestbook', targetRevision: 'no-such-branch' },
    'ComparisonError',
    /no-such-branch/,
  ],
])('%s becomes a condition that says what to do', async (name, source, type, message) => {
  expect(await fairlead.apply(application(name, source))).toMatchObject({ code: 0 });
  const app = await fairlead.until(name, `told of ${type}`, ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === type),
  );
  expect(app.status?.conditions?.map((condition) => condition.message).join('\n')).toMatch(message);
  expect(app.status?.sync?.status).toBe('Unknown');
});

test('a manifest that the cluster rejects fails the sync with the words of the cluster', async () => {
  await fairlead.apply(
    application(
      'rejected',
      { path: 'broken/rejected' },
      { syncPolicy: { automated: {}, retry: { limit: 0 } } },
    ),
  );
  const app = await fairlead.until(
    'rejected',
    'failed',
    ({ status }) => status?.operationState?.phase === 'Failed',
  );
  expect(app.status?.operationState?.message).toMatch(/Not_A_Name/);
});

test('a destination that the project does not permit is an InvalidSpecError naming the project and the field', async () => {
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'fenced', namespace: 'argocd' },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'elsewhere' }] },
  };
  await fairlead.apply(project);
  await fairlead.apply(application('outside', { path: 'broken/good' }, { project: 'fenced' }));
  const app = await fairlead.until(
    'outside',
    'refused',
    ({ status }) => (status?.conditions?.length ?? 0) > 0,
  );
  expect(app.status?.conditions?.[0]).toMatchObject({ type: 'InvalidSpecError' });
  expect(app.status?.conditions?.[0]?.message).toMatch(/fenced.*default.*spec\.destinations/s);
});

test('a project that does not exist is named', async () => {
  await fairlead.apply(application('no-project', { path: 'broken/good' }, { project: 'nobody' }));
  const app = await fairlead.until(
    'no-project',
    'refused',
    ({ status }) => (status?.conditions?.length ?? 0) > 0,
  );
  expect(app.status?.conditions?.[0]?.message).toMatch(/nobody/);
});

test('the other applications are untouched', async () => {
  await fairlead.apply(application('good', { path: 'broken/good' }));
  await fairlead.until(
    'good',
    'synced',
    ({ status, operation }) => !operation && status?.sync?.status === 'Synced',
  );
  const { stdout } = await fairlead.kubectl('get', 'configmap', 'good', '-n', 'default', '-o', 'name');
  expect(stdout.trim()).toBe('configmap/good');
});

test('a setting without effect is reported by name, in the log and as a Warning Event on its object', async () => {
  const data = JSON.stringify({ data: { 'extension.config': '{}' } });
  await fairlead.kubectl('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--type', 'merge', '-p', data);
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'sharded',
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name: 'sharded', server: 'https://127.0.0.1:9', shard: '1' },
  });
  const listed = ['get', 'events', '-n', 'argocd', '--field-selector', 'reason=SettingIgnored', '-o'];
  const columns = 'custom-columns=:.type,:.involvedObject.kind,:.involvedObject.name,:.message';
  await eventually(async () => {
    const { stdout } = await fairlead.kubectl(...listed, columns);
    expect(stdout).toMatch(/Warning +ConfigMap +argocd-cm +extension\.config: not supported yet/);
    expect(stdout).toMatch(/Warning +Secret +sharded +shard: no effect/);
  });
  const lines = fairlead
    .log()
    .split('\n')
    .filter((line) => line.includes('setting ignored'));
  expect(lines.join('\n')).toMatch(/"configMap":"argocd-cm","key":"extension\.config"/);
  expect(lines.join('\n')).toMatch(/"secret":"sharded","key":"shard"/);
});
