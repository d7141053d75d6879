import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { eventually } from '../eventually.ts';
import { type BareCluster, startCluster } from './bare-cluster.ts';
import { type Fairlead, forget, onCluster, startFairlead } from './fairlead.ts';

// compat rollouts RC-5, RP-3, RP-4: a cluster that another program serves, where another controller holds the Lease of Argo Rollouts.
const id = 'fairlead';
let cluster: BareCluster;
let fairlead: Fairlead;

beforeAll(async () => {
  cluster = await startCluster();
  fairlead = await startFairlead(
    ...onCluster(cluster.kubeconfig),
    '--rollouts',
    '--rollouts-instance-id',
    id,
  );
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await cluster?.stop();
});

const rollout = (name: string, labels: Record<string, string>): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name, namespace: 'default', labels },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary: { steps: [{ setWeight: 25 }] } },
  },
});
const lease = (name: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'argo-rollouts' },
  spec: {
    holderIdentity: 'argo-rollouts-7c9f',
    leaseDurationSeconds: 3600,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

async function live(kind: string, name: string, namespace = 'default'): Promise<KubeObject> {
  const { stdout } = await fairlead.kubectl('get', kind, name, '-n', namespace, '-o', 'json');
  return JSON.parse(stdout || '{}') as KubeObject;
}

test('with an instance id only what carries it is reconciled, although a peer holds the Lease of the rest', async () => {
  expect(await fairlead.apply(lease('argo-rollouts-controller-lock'))).toMatchObject({ code: 0 });
  const instance = 'argo-rollouts.argoproj.io/controller-instance-id';
  const [other, unlabelled, ours] = [
    rollout('other', { [instance]: 'other' }),
    rollout('unlabelled', {}),
    rollout('ours', { [instance]: id }),
  ];
  for (const one of [other, unlabelled, ours]) expect(await fairlead.apply(one)).toMatchObject({ code: 0 });
  await eventually(async () =>
    expect((await live('rollout', 'ours')).status).toMatchObject({ phase: 'Healthy', availableReplicas: 1 }),
  );
  expect((await live('rollout', 'other')).status).toBeUndefined();
  expect((await live('rollout', 'unlabelled')).status).toBeUndefined();
  const held = await live('lease', `argo-rollouts-controller-lock-${id}`, 'argo-rollouts');
  expect(held.spec).toMatchObject({ holderIdentity: expect.stringContaining('fairlead') });
});

test('without an id Rollouts are left to the peer, and the log says to which', async () => {
  await fairlead.stop();
  forget(fairlead);
  fairlead = await startFairlead(...onCluster(cluster.kubeconfig), '--rollouts');
  await eventually(() =>
    expect(fairlead.log()).toContain(
      'argo-rollouts-7c9f holds the Lease argo-rollouts/argo-rollouts-controller-lock',
    ),
  );
  expect((await live('rollout', 'unlabelled')).status).toBeUndefined();
});
