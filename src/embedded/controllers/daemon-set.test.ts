import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import type { Pod } from './pod/view.ts';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'default', name: 'agent' };
const pods = () =>
  stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' }) as readonly Pod[];

test('every node gets one pod, also a node that comes later, and updates replace them', async () => {
  stage = await createStage({ store: memoryStore() });
  const template = {
    metadata: { labels: { app: 'agent' } },
    spec: { containers: [{ name: 'a', image: 'a:1' }] },
  };
  const spec = { selector: { matchLabels: { app: 'agent' } }, template };
  await stage.create({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec,
  });
  await stage.clock.advance(300);
  expect(stage.read<KubeObject>(ref).status).toMatchObject({
    desiredNumberScheduled: 1,
    numberReady: 1,
    numberAvailable: 1,
  });
  await stage.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'second' } });
  await stage.clock.advance(300);
  expect(
    pods()
      .map((pod) => pod.spec?.nodeName)
      .sort(),
  ).toEqual(['embedded-0', 'second']);
  await stage.patch(ref, { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:2' }] } } } });
  await stage.clock.advance(1000);
  expect(pods().map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(['a:2', 'a:2']);
  expect(stage.read<KubeObject>(ref).status).toMatchObject({
    observedGeneration: 2,
    updatedNumberScheduled: 2,
    currentNumberScheduled: 2,
    numberMisscheduled: 0,
  });
});
