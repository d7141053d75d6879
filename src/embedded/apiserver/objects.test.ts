import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { configMap, deployment, talk } from '../../../test/talk.ts';

const by = { manager: 'controller' };
const type = { apiVersion: 'v1', kind: 'ConfigMap' };
const ref = { ...type, namespace: 'default', name: 'a' };
const made = (data = {}) => configMap('a', data, { namespace: 'default' }) as KubeObject;

test('reads are immediate and frozen, and know nothing of what is not there', async () => {
  const { cluster } = await talk();
  await cluster.objects.create(made({ x: '1' }), by);
  const found = cluster.objects.get(ref) as any;
  expect(found.data).toEqual({ x: '1' });
  expect(() => {
    found.data.x = '2';
  }).toThrow(TypeError);
  expect(cluster.objects.get({ ...ref, name: 'b' })).toBeUndefined();
  expect(cluster.objects.list(type, { namespace: 'default', fieldSelector: 'metadata.name=a' })).toHaveLength(
    1,
  );
});

test('writes take the road of a request: owned by their manager, refused with a StatusError', async () => {
  const { cluster } = await talk();
  const { metadata } = await cluster.objects.create(made({ x: '1' }), by);
  expect(metadata.managedFields?.[0]?.manager).toBe('controller');
  await expect(cluster.objects.create(made(), by)).rejects.toMatchObject({
    reason: 'AlreadyExists',
    status: { code: 409 },
  });
  const stale = { ...made({ x: '1' }), metadata: { ...metadata, resourceVersion: '1' } } as KubeObject;
  await expect(cluster.objects.update(stale, by)).rejects.toMatchObject({ reason: 'Conflict' });
});

test('a status patch writes the status alone, as the status manager', async () => {
  const { cluster } = await talk();
  const web = { ...deployment('web'), metadata: { name: 'web', namespace: 'default' } } as KubeObject;
  await cluster.objects.create(web, by);
  const at = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
  const { status, metadata } = await cluster.objects.patchStatus(at, { replicas: 2 }, by);
  expect([status, metadata.generation]).toEqual([{ replicas: 2 }, 1]);
  expect(metadata.managedFields?.at(-1)).toMatchObject({ manager: 'controller', subresource: 'status' });
});

test('a watch yields objects, beginning with what is there', async () => {
  const { cluster } = await talk();
  await cluster.objects.create(made(), by);
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const event of cluster.objects.watch(type, { signal: stop.signal, namespace: 'default' })) {
    seen.push(`${event.type} ${event.object.metadata.name}`);
    if (seen.length === 2) await cluster.objects.remove(ref, {}, by);
    if (seen.length === 3) stop.abort();
  }
  expect(seen).toEqual(['ADDED a', 'ADDED kube-root-ca.crt', 'DELETED a']);
});

test('removing answers what lingers, and nothing when it is gone', async () => {
  const { cluster } = await talk();
  const held = configMap('a', {}, { namespace: 'default', finalizers: ['test.dev/hold'] }) as KubeObject;
  await cluster.objects.create(held, by);
  expect((await cluster.objects.remove(ref, {}, by))?.metadata.deletionTimestamp).toBeDefined();
  await cluster.objects.patch(ref, { type: 'merge', body: { metadata: { finalizers: null } } }, by);
  expect(cluster.objects.get(ref)).toBeUndefined();
});

test('dependents are found by the uid of their owner', async () => {
  const { cluster } = await talk();
  const { metadata } = await cluster.objects.create(made(), by);
  const ownerReferences = [{ ...type, name: 'a', uid: metadata.uid }];
  await cluster.objects.create(
    configMap('b', {}, { namespace: 'default', ownerReferences }) as KubeObject,
    by,
  );
  expect(cluster.objects.dependents(metadata.uid ?? '').map((object) => object.metadata.name)).toEqual(['b']);
});

test('a kind that is not served is not found', async () => {
  const { cluster } = await talk();
  expect(() => cluster.objects.list({ apiVersion: 'no.dev/v1', kind: 'Thing' })).toThrow(
    'could not find the requested resource',
  );
});
