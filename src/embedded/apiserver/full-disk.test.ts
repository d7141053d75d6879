import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { memoryStore, type Store } from '#platform/store';
import { configMap, type Talk, talk } from '../../../test/talk.ts';

// Attack 34, without a disk: a store that refuses writes for a while, as src/platform/store does when the disk is full.

const configMaps = '/api/v1/namespaces/default/configmaps';
const namespaces = '/api/v1/namespaces';

async function onDisk(): Promise<{ speak: Talk; disk: { isFull: boolean } }> {
  const disk = { isFull: false };
  const memory = memoryStore();
  const store: Store = {
    ...memory,
    async write(changes) {
      if (disk.isFull) throw new FairleadError('Unavailable', 'the store could not be written: ENOSPC');
      await memory.write(changes);
    },
  };
  return { speak: await talk({ store }), disk };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

test('reads go on while the disk is full, and show what is on disk', async () => {
  const { speak, disk } = await onDisk();
  await speak.post(configMaps, configMap('kept', { x: 'old' }));
  const before = (await speak.get(configMaps)).body;
  disk.isFull = true;
  const writes = await Promise.all([
    speak.post(configMaps, configMap('new')),
    speak.put(`${configMaps}/kept`, configMap('kept', { x: 'new' })),
    speak.del(`${configMaps}/kube-root-ca.crt`),
  ]);
  for (const { status, body } of writes)
    expect([status, body.message]).toEqual([500, expect.stringContaining('ENOSPC')]);
  const { status, body } = await speak.get(configMaps);
  expect([status, body.items]).toEqual([200, before.items]);
  expect((await speak.get(`${configMaps}/new`)).status).toBe(404);
});

test('a read that meets a write which is then refused shows what is on disk', async () => {
  const { speak, disk } = await onDisk();
  disk.isFull = true;
  const [write, read] = await Promise.all([
    speak.post(configMaps, configMap('new')),
    speak.get(`${configMaps}/new`),
  ]);
  expect([write.status, read.status]).toEqual([500, 404]);
});

test('health is refused while nothing can be written, and writes go on when there is room', async () => {
  const { speak, disk } = await onDisk();
  const healths = () => Promise.all(['healthz', 'livez', 'readyz'].map((name) => speak.get(`/${name}`)));
  for (const { status, body } of await healths()) expect([status, body]).toEqual([200, 'ok']);
  disk.isFull = true;
  await speak.post(configMaps, configMap('new'));
  for (const { status, body } of await healths())
    expect([status, body]).toEqual([500, expect.stringContaining('[-]etcd failed: reason withheld')]);
  disk.isFull = false;
  await until(() => speak.cluster.failure() === undefined);
  expect((await speak.post(configMaps, configMap('new'))).status).toBe(201);
  for (const { status } of await healths()) expect(status).toBe(200);
});

test('a watch shows nothing of a write that was refused, and no resourceVersion is given out twice (invariants 1, 2)', async () => {
  const { speak, disk } = await onDisk();
  const start = Number((await speak.get(configMaps)).body.metadata.resourceVersion);
  const watching = await speak.watch(`${configMaps}?watch=true&resourceVersion=${start}`);
  disk.isFull = true;
  await speak.post(configMaps, configMap('refused'));
  disk.isFull = false;
  await until(() => speak.cluster.failure() === undefined);
  await speak.post(configMaps, configMap('stored'));
  const { object } = await watching.next();
  expect(object.metadata.name).toBe('stored');
  expect(Number(object.metadata.resourceVersion)).toBe(start + 2);
  await watching.stop();
});

test('what the cluster does by itself is done once there is room: a namespace is emptied, dependents are collected', async () => {
  const { speak, disk } = await onDisk();
  await speak.post(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gone' } });
  await speak.post(`${namespaces}/gone/configmaps`, configMap('a'));
  const { uid } = (await speak.post(configMaps, configMap('owner'))).body.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await speak.post(configMaps, configMap('owned', {}, { ownerReferences }));
  const deletions = [speak.del(`${namespaces}/gone`), speak.del(`${configMaps}/owner`)];
  disk.isFull = true;
  const statuses = (await Promise.all(deletions)).map(({ status }) => status);
  disk.isFull = false;
  await until(() => speak.cluster.failure() === undefined);
  if (statuses.includes(500)) {
    await speak.del(`${namespaces}/gone`);
    await speak.del(`${configMaps}/owner`);
  }
  await until(async () => (await speak.get(`${namespaces}/gone`)).status === 404);
  await until(async () => (await speak.get(`${configMaps}/owned`)).status === 404);
});
