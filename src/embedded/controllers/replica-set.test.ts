import { afterEach, expect, test } from 'vitest';
import { controllerOf } from '#base/model';
import { memoryStore } from '#platform/store';
import { isReady } from './pod/view.ts';
import type { ReplicaSet } from './replica-set.ts';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default', name: 'web' };
const set = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    ...spec,
  },
});
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });

test('it makes as many pods as it says, and takes over those that match and belong to nobody', async () => {
  stage = await createStage({ store: memoryStore() });
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  const labels = { app: 'web' };
  await stage.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stray', namespace: 'default', labels },
    spec,
  });
  await stage.create(set());
  await stage.clock.advance(300);
  expect(pods()).toHaveLength(2);
  expect(pods().every((pod) => controllerOf(pod)?.name === 'web')).toBe(true);
  expect(stage.read<ReplicaSet>(ref).status).toMatchObject({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
});

test('of too many pods, those that are not ready go first', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(set({ replicas: 3 }));
  await stage.clock.advance(300);
  const [first] = pods();
  const name = first?.metadata.name ?? '';
  const sick = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name };
  await stage.patch(sick, { metadata: { annotations: { 'simulate.fairlead.io/outcome': 'never-ready' } } });
  await stage.clock.advance(300);
  await stage.patch(ref, { spec: { replicas: 2 } });
  await stage.clock.advance(300);
  expect(pods().map(({ metadata }) => metadata.name)).not.toContain(name);
  expect(pods().every(isReady)).toBe(true);
});
