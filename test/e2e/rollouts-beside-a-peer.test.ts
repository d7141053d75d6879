import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { eventually } from '../eventually.ts';
import { type Fairlead, forget, onCluster, startFairlead } from './fairlead.ts';

// compat rollouts RC-5, RP-3, RP-4: a cluster that another program serves, where another controller holds the Lease of Argo Rollouts.
const id = 'fairlead';
let cluster: { readonly dir: string; readonly child: ChildProcess };
let fairlead: Fairlead;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
  const child = spawn(process.execPath, [program, 'up', '--cluster-only', '--data-dir', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cluster = { dir, child };
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('kubectl:')) break;
  fairlead = await startFairlead(
    ...onCluster(join(dir, 'kubeconfig')),
    '--rollouts',
    '--rollouts-instance-id',
    id,
  );
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  cluster?.child.kill('SIGINT');
  if (cluster) await once(cluster.child, 'exit');
  if (cluster) await rm(cluster.dir, { recursive: true, force: true });
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
  fairlead = await startFairlead(...onCluster(join(cluster.dir, 'kubeconfig')), '--rollouts');
  await eventually(() =>
    expect(fairlead.log()).toContain(
      'argo-rollouts-7c9f holds the Lease argo-rollouts/argo-rollouts-controller-lock',
    ),
  );
  expect((await live('rollout', 'unlabelled')).status).toBeUndefined();
});
