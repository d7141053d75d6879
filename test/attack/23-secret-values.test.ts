import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Attack 23: the values of Secrets and of annotations that are configured as sensitive. They are planted as markers in Git and changed in
// the cluster, so that there is a diff to show, a sync to log and an error to report; then they are searched for in everything
// a user or an operator reads. Notifications are tried in
// 26-notifications.test.ts.

const planted = {
  git: 'marker-value-in-git',
  live: 'marker-value-in-cluster',
  annotation: 'marker-in-annotation',
  repository: 'marker-repository-password',
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const markers = Object.values(planted).flatMap((value) => [value, base64(value), encodeURIComponent(value)]);
const leaks = (text: string): string[] => markers.filter((marker) => text.includes(marker));

const secret = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'planted',
    annotations: { 'example.io/sensitive': planted.annotation, 'example.io/open': 'shown-annotation' },
  },
  stringData: { password: value },
});
const application = (name: string, path: string, repoURL: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL, path, targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
});

let fairlead: Fairlead;
let token: string;
beforeAll(async () => {
  process.env.FAIRLEAD_LOG_LEVEL = 'debug';
  fairlead = await startFairlead();
  const answer = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: fairlead.password }),
  });
  ({ token } = (await answer.json()) as { token: string });
  const data = { 'resource.sensitive.mask.annotations': 'example.io/sensitive' };
  const settings = ['-n', 'argocd', 'patch', 'configmap', 'argocd-cm', '--type=merge', '-p'];
  await fairlead.kubectl(...settings, JSON.stringify({ data }));
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'repo',
      namespace: 'argocd',
      labels: { 'argocd.argoproj.io/secret-type': 'repository' },
    },
    stringData: { url: 'http://127.0.0.1:1/org/private', username: 'joe', password: planted.repository },
  });
  // a Secret that is fine, one that the cluster refuses, and a repository that cannot be reached
  const refused = { ...secret(planted.git), metadata: { name: 'Not A Name' } };
  await fairlead.commit({
    'planted/secret.yaml': JSON.stringify(secret(planted.git)),
    'refused/secret.yaml': JSON.stringify(refused),
  });
  await fairlead.apply(application('planted', 'planted', fairlead.demo));
  await fairlead.apply(application('refused', 'refused', fairlead.demo));
  await fairlead.apply(application('unreachable', '.', 'http://127.0.0.1:1/org/private'));
  await fairlead.until('planted', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  await sync('planted');
  await fairlead.until(
    'planted',
    'synced',
    ({ status, operation }) => !operation && status?.sync?.status === 'Synced',
  );
  await sync('refused');
  await fairlead.until('refused', 'refused', ({ status }) => Boolean(status?.operationState?.finishedAt));
  const drift = JSON.stringify({ stringData: { password: planted.live } });
  await fairlead.kubectl('patch', 'secret', 'planted', '--type=merge', '-p', drift);
  await fairlead.until('planted', 'drifted', ({ status }) => status?.sync?.status === 'OutOfSync');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

const headers = () => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
const sync = (name: string) =>
  fetch(`${fairlead.url}/api/v1/applications/${name}/sync`, {
    method: 'POST',
    headers: headers(),
    body: '{}',
  });
const read = async (path: string): Promise<string> =>
  (await fetch(`${fairlead.url}${path}`, { headers: headers() })).text();
const object = 'group=&kind=Secret&namespace=default&resourceName=planted&version=v1';

test.each([
  '/api/v1/applications',
  '/api/v1/applications/planted',
  '/api/v1/applications/refused',
  '/api/v1/applications/unreachable',
  '/api/v1/applications/planted/managed-resources',
  '/api/v1/applications/refused/managed-resources',
  '/api/v1/applications/unreachable/managed-resources',
  '/api/v1/applications/planted/resource-tree',
  `/api/v1/applications/planted/resource?${object}`,
  `/api/v1/applications/planted/resource/actions?${object}`,
  '/api/v1/settings',
  '/metrics',
])('GET %s holds no value of a Secret', async (path) => {
  expect(leaks(await read(path))).toEqual([]);
});

test('the difference between two hidden values is seen, and what is not sensitive is shown', async () => {
  const { items } = JSON.parse(await read('/api/v1/applications/planted/managed-resources')) as {
    items: { targetState: string; liveState: string; modified: boolean }[];
  };
  const [row] = items;
  expect(row?.modified).toBe(true);
  expect(row?.liveState).toContain('shown-annotation');
  expect(row?.liveState).toContain('++++++++');
  expect(row?.liveState).not.toBe(row?.targetState);
});

test('the command line shows none', async () => {
  const login = ['--server', new URL(fairlead.url).host, '--plaintext', '--auth-token', token];
  for (const words of [
    ['get', 'planted'],
    ['get', 'refused'],
    ['diff', 'planted'],
    ['history', 'planted'],
  ]) {
    const { stdout, stderr } = await fairlead.cli('app', ...words, ...login);
    expect([words, leaks(stdout + stderr)]).toEqual([words, []]);
  }
});

test('status, history and events in the cluster hold none', async () => {
  for (const words of [
    ['get', 'applications', '-n', 'argocd', '-o', 'json'],
    ['get', 'events', '-A', '-o', 'json'],
    ['get', 'configmaps', '-A', '-o', 'json'],
  ]) {
    const { stdout } = await fairlead.kubectl(...words);
    expect([words, leaks(stdout)]).toEqual([words, []]);
    expect(stdout).toContain('"items"');
  }
});

test('the log of the program, with everything it can say, holds none', () => {
  expect(leaks(fairlead.log())).toEqual([]);
  expect(fairlead.log()).toContain('planted');
});
