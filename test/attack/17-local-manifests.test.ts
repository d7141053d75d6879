import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject, SyncOperation } from '#base/model';
import { type Plane, startPlane } from '../e2e/in-process.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';
import { configMap } from '../manifests.ts';

// Attack 17: manifests and sources that an operation brings along, past the project and its signatures. Requests to the API are
// in src/serve/server/methods/applications/sync-windows.test.ts, the permission `override` among them.

const group = 'argoproj.io/v1alpha1';
const clusterRole =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: smuggled}\n';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let other: GitRepositoryFixture;
let plane: Plane;

const project = (name: string, spec: object): KubeObject => ({
  apiVersion: group,
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: { sourceRepos: [plane.url], destinations: [{ server: '*', namespace: 'default' }], ...spec },
});
const application = (name: string, of: string): KubeObject => ({
  apiVersion: group,
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: of,
    source: { repoURL: plane.url, path: '.', targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
});

beforeAll(async () => {
  folder = await temporaryFolder();
  other = await gitRepository(join(folder.path, 'other'));
  await other.commit({ 'x.yaml': configMap('of-another-repository') });
  plane = await startPlane();
  await plane.repository.commit({ 'a.yaml': configMap('settings') });
  await plane.apply(
    project('narrow', {}),
    project('signed', { signatureKeys: [{ keyID: '4AEE18F83AFDEB23' }] }),
    application('manual', 'narrow'),
    application('guarded', 'signed'),
  );
});
afterAll(async () => {
  await plane.stop();
  await folder.remove();
});

/** How an operation ends that a person with rights on Applications writes past the API. */
async function operated(name: string, sync: SyncOperation): Promise<string> {
  const operation = { sync, initiatedBy: { username: 'mallory' } };
  await plane.edit(name, { operation, status: { operationState: null } }); // as the API does: two may begin in one second
  const isOver = ({ operation: left, status }: Application) => !left && status?.operationState !== undefined;
  const { status } = await plane.untilApp(name, 'through with the operation', isOver);
  const { phase, message, syncResult } = status?.operationState ?? {};
  return [phase, message, ...(syncResult?.resources ?? []).map((one) => one.message)].join('; ');
}
const found = (name: string, namespace = 'default') =>
  plane.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

test('local manifests that the project permits are synced', async () => {
  expect(await operated('manual', { manifests: [configMap('local')] })).toMatch(/^Succeeded; /);
  expect(await found('local')).toBeDefined();
});

test.each([
  ['a kind of the cluster', clusterRole],
  ['another namespace', `${configMap('smuggled')}`.replace('smuggled', 'smuggled\n  namespace: kube-system')],
])('the project denies local manifests what it denies those of Git: %s', async (_what, manifest) => {
  expect(await operated('manual', { manifests: [manifest] })).toMatch(/^(Failed|Error); .*project narrow/s);
  expect(await found('smuggled', 'kube-system')).toBeUndefined();
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'smuggled' };
  expect(await plane.find(role)).toBeUndefined();
});

test('where commits must be signed, local manifests are refused', async () => {
  expect(await operated('guarded', { manifests: [configMap('smuggled')] })).toMatch(
    /^(Failed|Error); .*manifests from elsewhere cannot stand in for/,
  );
  expect(await found('smuggled')).toBeUndefined();
});

test('a source that an operation brings along needs the permission of the project', async () => {
  const source = { repoURL: other.dir, path: '.', targetRevision: 'main' };
  for (const sync of [{ source }, { sources: [source] }]) {
    expect(await operated('manual', sync)).toMatch(/^Error; project narrow does not permit the repository/);
  }
  expect(await found('of-another-repository')).toBeUndefined();
});
