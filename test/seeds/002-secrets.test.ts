import { expect, test } from 'vitest';
import { clusterFrom, type KubeObject } from '#base/model';
import { printJson } from '#base/std';
import { health } from '#engine';
import { fragment, manifest, manifests } from './documents.ts';
import { application, Installation } from './installation.ts';

// the Secrets of "GitOps with ArgoCD": clusters as they are registered, and values nobody may see
const [staging, production] = manifests('002/cluster-secrets.yaml').map(clusterFrom);

test('clusters are read from their Secrets, with the labels that ApplicationSets choose by', () => {
  expect(staging).toMatchObject({
    name: 'staging-us-east',
    server: 'https://staging-us-east.example.com:6443',
    config: { bearerToken: '...' },
    labels: { env: 'staging', region: 'us-east', tier: 'non-prod' },
  });
  expect(production).toMatchObject({ name: 'prod-us-east', labels: { env: 'production', tier: 'prod' } });
});

test.each([
  ['002/cluster-token.yaml', { bearerToken: '<service-account-token>' }],
  [
    '002/cluster-eks.yaml',
    {
      awsAuthConfig: {
        clusterName: 'production-cluster',
        roleARN: 'arn:aws:iam::123456789012:role/argocd-manager',
      },
    },
  ],
  ['002/cluster-gke.yaml', { execProviderConfig: { command: 'argocd-k8s-auth', args: ['gcp'] } }],
])('%s says how to sign in', (file, config) => {
  expect(clusterFrom(manifest(file)).config).toMatchObject(config);
});

test('no comparison shows a value of a Secret, also when it differs', () => {
  const secret = manifest<KubeObject & { stringData: Record<string, string> }>(
    '002/argocd-notifications-secret.yaml',
  );
  const world = new Installation(application(), [secret]);
  world.take(world.next());
  for (const live of [...world.live.values()]) {
    const { stringData: _, ...rest } = live as typeof secret;
    world.put({ ...rest, data: { 'slack-token': 'c29tZXRoaW5nIGVsc2U=' } } as KubeObject);
  }
  const { status, resources } = world.compare();
  expect(status).toBe('OutOfSync');
  const shown = printJson(resources.map(({ diff }) => diff));
  const values = [...Object.values(secret.stringData), 'c29tZXRoaW5nIGVsc2U='];
  for (const value of values) expect(shown).not.toContain(value);
});

const synced = { conditions: [{ type: 'Ready', status: 'True', reason: 'SecretSynced' }] };
const refused = {
  conditions: [{ type: 'Ready', status: 'False', reason: 'SecretSyncedError', message: 'no such key' }],
};

test.each([
  ['002/external-secret.yaml', undefined, 'Progressing'],
  ['002/external-secret.yaml', synced, 'Healthy'],
  ['002/external-secret.yaml', refused, 'Degraded'],
  ['002/external-secret-template.yaml', synced, 'Healthy'],
  ['004/external-secret.yaml', refused, 'Degraded'],
  ['002/sealed-secret.yaml', { conditions: [{ type: 'Synced', status: 'True' }] }, 'Healthy'],
  ['002/sealed-secret.yaml', { conditions: [{ type: 'Synced', status: 'False' }] }, 'Degraded'],
])('%s with %j is %s', (file, status, wanted) => {
  expect(health({ ...manifest(file), ...(status && { status }) })?.status).toBe(wanted);
});

test.each([
  ['004/image-latest.yaml', 'registry.example.com/payments-api:latest'],
  ['004/image-digest.yaml', 'registry.example.com/payments-api@sha256:2f8c...'],
  ['004/image-tag-and-digest.yaml', 'registry.example.com/payments-api:1.42.0@sha256:2f8c...'],
])('%s is deployed exactly as it is written', (file, image) => {
  expect(fragment(file)).toEqual({ image });
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'c', ...fragment(file) }] },
  };
  const step = new Installation(application(), [pod]).next();
  expect(step.do === 'apply' && step.groups.flat()[0]?.target?.spec).toEqual(pod.spec);
});
