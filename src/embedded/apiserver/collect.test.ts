import { expect, test } from 'vitest';
import { configMap, type Talk, talk } from '../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function family(speak: Talk, extra: object = {}): Promise<void> {
  const { body: parent } = await speak.post(configMaps, configMap('parent'));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: parent.metadata.uid, ...extra };
  const { body: child } = await speak.post(configMaps, configMap('child', {}, { ownerReferences: [owner] }));
  const grand = { apiVersion: 'v1', kind: 'ConfigMap', name: 'child', uid: child.metadata.uid, ...extra };
  await speak.post(configMaps, configMap('grandchild', {}, { ownerReferences: [grand] }));
}

const names = async ({ get, cluster }: Talk): Promise<string[]> => {
  await cluster.settled();
  const { body } = await get(configMaps);
  return body.items
    .map((item: any) => item.metadata.name)
    .filter((name: string) => !name.startsWith('kube-'));
};

test('dependents follow their owner, all the way down', async () => {
  const speak = await talk();
  await family(speak);
  await speak.del(`${configMaps}/parent`);
  expect(await names(speak)).toEqual([]);
});

test('orphaned dependents stay and forget their owner', async () => {
  const speak = await talk();
  await family(speak);
  const { body } = await speak.del(`${configMaps}/parent`, { propagationPolicy: 'Orphan' });
  expect(body.metadata.finalizers).toEqual(['orphan']);
  expect(await names(speak)).toEqual(['child', 'grandchild']);
  expect((await speak.get(`${configMaps}/child`)).body.metadata.ownerReferences).toBeUndefined();
});

test('in the foreground the owner outlives the dependents that block it', async () => {
  const speak = await talk();
  await family(speak, { blockOwnerDeletion: true });
  await speak.patch(`${configMaps}/grandchild`, 'merge-patch+json', {
    metadata: { finalizers: ['test.dev/hold'] },
  });
  await speak.del(`${configMaps}/parent`, { propagationPolicy: 'Foreground' });
  expect(await names(speak)).toEqual(['child', 'grandchild', 'parent']);
  await speak.patch(`${configMaps}/grandchild`, 'merge-patch+json', { metadata: { finalizers: null } });
  expect(await names(speak)).toEqual([]);
});

test('an object whose owner never was is collected; one with another owner left only loses the reference', async () => {
  const speak = await talk();
  const { body: real } = await speak.post(configMaps, configMap('real'));
  const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'ghost' };
  const there = { apiVersion: 'v1', kind: 'ConfigMap', name: 'real', uid: real.metadata.uid };
  await speak.post(configMaps, configMap('lost', {}, { ownerReferences: [gone] }));
  await speak.post(configMaps, configMap('kept', {}, { ownerReferences: [gone, there] }));
  expect(await names(speak)).toEqual(['kept', 'real']);
  expect((await speak.get(`${configMaps}/kept`)).body.metadata.ownerReferences).toEqual([there]);
});

test('an owner is known by its uid: a namesake does not count', async () => {
  const speak = await talk();
  await family(speak);
  await speak.del(`${configMaps}/parent`);
  await speak.post(configMaps, configMap('parent'));
  expect(await names(speak)).toEqual(['parent']);
});

test('an owner in another namespace is no owner (contract 3.7)', async () => {
  const speak = await talk();
  const { body: far } = await speak.post('/api/v1/namespaces/kube-public/configmaps', configMap('far'));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'far', uid: far.metadata.uid };
  await speak.post(configMaps, configMap('lost', {}, { ownerReferences: [owner] }));
  expect(await names(speak)).toEqual([]);
});

test('an owner of a kind nobody serves cannot be looked up, so its dependents stay', async () => {
  const speak = await talk();
  const owner = { apiVersion: 'unknown.dev/v1', kind: 'Thing', name: 'x', uid: 'x' };
  await speak.post(configMaps, configMap('kept', {}, { ownerReferences: [owner] }));
  expect(await names(speak)).toEqual(['kept']);
});

test('a Job deleted without a policy leaves its pods, as kubectl never does (contract 3.7)', async () => {
  const speak = await talk();
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } };
  const { body: job } = await speak.post(jobs, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec,
  });
  expect(job.spec.selector.matchLabels['batch.kubernetes.io/controller-uid']).toBe(job.metadata.uid);
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: job.metadata.uid };
  await speak.post(configMaps, configMap('kept', {}, { ownerReferences: [owner] }));
  await speak.del(`${jobs}/j`);
  expect(await names(speak)).toEqual(['kept']);
});

test('two thousand dependents of one owner are collected in one go', async () => {
  const speak = await talk();
  const { body: parent } = await speak.post(configMaps, configMap('parent'));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: parent.metadata.uid };
  const object = (i: number) => configMap(`c${i}`, {}, { namespace: 'default', ownerReferences: [owner] });
  for (let i = 0; i < 2_000; i++) await speak.cluster.objects.create(object(i), { manager: 'test' });
  await speak.del(`${configMaps}/parent`);
  expect(await names(speak)).toEqual([]);
});
