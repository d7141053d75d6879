import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// One control plane, two clusters: the second is another program's, registered with a Secret as a user would.

let fairlead: Fairlead;
let other: Fairlead;

beforeAll(async () => {
  [fairlead, other] = await Promise.all([startFairlead(), startFairlead('--no-demo')]);
});
afterAll(async () => {
  await Promise.allSettled([fairlead.stop(), other.stop()]);
  forget(fairlead);
  forget(other);
});

type Kubeconfig = {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
};

async function register(name: string): Promise<string> {
  const text = readFileSync(join(other.dataDir, 'kubeconfig'), 'utf8');
  const { clusters, users } = parse(text) as unknown as Kubeconfig;
  const { server, 'certificate-authority-data': caData } = clusters[0].cluster;
  const { 'client-certificate-data': certData, 'client-key-data': keyData } = users[0].user;
  const config = { tlsClientConfig: { caData, certData, keyData } };
  const { code, stderr } = await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name, server, config: JSON.stringify(config) },
  });
  expect([code, stderr]).toEqual([0, '']);
  return server;
}

const application = (name: string, destination: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  spec: {
    project: 'default',
    source: { repoURL: fairlead.demo, path: 'guestbook', targetRevision: 'HEAD' },
    destination: { ...destination, namespace: 'default' },
    syncPolicy: { automated: { selfHeal: true } },
  },
});

test('an application goes where its destination says, drift there is healed, and it leaves nothing behind', async () => {
  await fairlead.apply(application('abroad', { name: 'second' }));
  await fairlead.until('abroad', 'told that there is no such cluster', ({ status }) =>
    (status?.conditions ?? []).some(({ message }) => message.includes('no cluster second is registered')),
  );
  await register('second');
  await fairlead.until(
    'abroad',
    'synced and healthy',
    ({ status }) => status?.sync?.status === 'Synced' && status.health?.status === 'Healthy',
  );
  const found = await other.kubectl('get', 'deployments', '-o', 'jsonpath={.items[*].metadata.name}');
  expect(found.stdout).not.toBe('');
  const [deployment = ''] = found.stdout.split(' ');
  const replicas = ['get', 'deployment', deployment, '-o', 'jsonpath={.spec.replicas}'];
  const wanted = (await other.kubectl(...replicas)).stdout;
  await other.kubectl('scale', 'deployment', deployment, '--replicas=7');
  await expect.poll(async () => (await other.kubectl(...replicas)).stdout, { timeout: 30_000 }).toBe(wanted);

  await fairlead.kubectl('-n', 'argocd', 'delete', 'application', 'abroad', '--timeout=60s');
  const left = await other.kubectl('get', 'deployments', '-o', 'name');
  expect(left.stdout).toBe('');
});

test('a cluster that is gone is told of by its applications alone', async () => {
  await fairlead.apply(application('stranded', { name: 'second' }));
  await fairlead.until('stranded', 'synced', ({ status }) => status?.sync?.status === 'Synced');
  await other.kill();
  await fairlead.kubectl('-n', 'argocd', 'delete', 'secret', 'second');
  await fairlead.until('stranded', 'unknown', ({ status }) => status?.sync?.status === 'Unknown');
  await fairlead.commit({
    'guestbook/note.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n',
  });
  await fairlead.until('guestbook', 'synced with the new file', ({ status }) =>
    (status?.resources ?? []).some(({ name, status: sync }) => name === 'note' && sync === 'Synced'),
  );
  const { code } = await fairlead.kubectl(
    '-n',
    'argocd',
    'delete',
    'application',
    'stranded',
    '--timeout=60s',
  );
  expect(code).toBe(0);
});
