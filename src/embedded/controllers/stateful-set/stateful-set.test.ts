import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import type { Pod } from '../pod/view.ts';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'default', name: 'db' };
const set = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
    ...spec,
  },
});
const pods = () =>
  stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' }) as readonly Pod[];
const images = () => pods().map(({ spec }) => spec?.containers?.[0]?.image);
const status = () => stage.read<KubeObject>(ref).status;
const image = (name: string) => ({
  spec: { template: { spec: { containers: [{ name: 'db', image: name }] } } },
});

async function start(spec: object = {}): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(set(spec));
}

test('pods come in order, each when the one before is ready', async () => {
  await start({
    template: {
      ...set().spec.template,
      metadata: { labels: { app: 'db' }, annotations: { 'simulate.fairlead.io/ready-after': '5s' } },
    },
  });
  await stage.clock.advance(4000);
  expect(pods().map(({ metadata }) => metadata.name)).toEqual(['db-0']);
  await stage.clock.advance(4000);
  expect(pods().map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1']);
  await stage.clock.advance(10_000);
  expect(status()).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
  });
});

test('pods know their number and bring their own claims, which are bound', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await start({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] });
  await stage.clock.advance(1000);
  const claims = stage.objects.list(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    { namespace: 'default' },
  );
  expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
  expect(claims.every((claim) => (claim.status as { phase?: string }).phase === 'Bound')).toBe(true);
  expect(pods()[1]?.metadata.labels).toMatchObject({
    'statefulset.kubernetes.io/pod-name': 'db-1',
    'apps.kubernetes.io/pod-index': '1',
  });
  expect(status()).toMatchObject({ readyReplicas: 3 });
});

test('an update goes from the highest number down to the partition', async () => {
  await start({ updateStrategy: { rollingUpdate: { partition: 1 } } });
  await stage.clock.advance(1000);
  await stage.patch(ref, image('db:2'));
  await stage.clock.advance(2000);
  expect(images()).toEqual(['db:1', 'db:2', 'db:2']);
  expect(status()).toMatchObject({ updatedReplicas: 2, currentReplicas: 1 });
  await stage.remove({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'db-0' });
  await stage.clock.advance(500);
  expect(images()).toEqual(['db:1', 'db:2', 'db:2']);
  await stage.patch(ref, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  await stage.clock.advance(2000);
  expect(images()).toEqual(['db:2', 'db:2', 'db:2']);
  const { currentRevision, updateRevision } = status() as Record<string, string>;
  expect(currentRevision).toBe(updateRevision);
});

test('scaling down takes the highest first; parallel ones come at once', async () => {
  await start({ podManagementPolicy: 'Parallel' });
  await stage.clock.advance(150);
  expect(status()).toMatchObject({ readyReplicas: 3 });
  await stage.patch(ref, { spec: { replicas: 1 } });
  await stage.clock.advance(500);
  expect(pods().map(({ metadata }) => metadata.name)).toEqual(['db-0']);
});
