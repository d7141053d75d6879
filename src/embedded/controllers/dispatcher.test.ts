import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { isReady } from './pod/view.ts';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'c:1' }] },
});
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });

test('a watch that falls behind is begun anew, and nothing is missed', async () => {
  stage = await createStage({ store: memoryStore(), history: { events: 2 } });
  await stage.clock.advance(1);
  await Promise.all(Array.from({ length: 40 }, (_, i) => stage.create(pod(`p${i}`))));
  await stage.clock.advance(1000);
  expect(pods().filter(isReady)).toHaveLength(40);
});

test('what was there before the controllers is looked after too', async () => {
  const store = memoryStore();
  const before = await createStage({ store, killAfter: 0 });
  await before.create(pod('early'));
  stage = await createStage({ store: store.fork() });
  await stage.clock.advance(500);
  expect(pods().filter(isReady)).toHaveLength(1);
});

test('what becomes of a pod is told in events, by whoever did it', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create({ ...pod('p'), spec: { containers: [{ name: 'c', image: 'c:image-pull-error' }] } });
  await stage.clock.advance(5000);
  const events = stage.objects.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: 'default' }) as any[];
  const told = events.map(({ reason, source, metadata }) => [
    reason,
    source.component,
    metadata.managedFields[0].manager,
  ]);
  expect(told.sort()).toEqual([
    ['BackOff', 'kubelet', 'kubelet'],
    ['Failed', 'kubelet', 'kubelet'],
    ['Failed', 'kubelet', 'kubelet'],
    ['Failed', 'kubelet', 'kubelet'],
    ['Pulling', 'kubelet', 'kubelet'],
    ['Scheduled', undefined, 'kube-scheduler'],
  ]);
  expect(events[0].involvedObject).toMatchObject({ kind: 'Pod', name: 'p' });
});

test('the simulation ends when the cluster closes', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  await stage.cluster.close();
  await stage.stop();
  expect(stage.clock.sleepers).toBe(0);
});
