import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { configMap, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

test('deleting answers a Status with the uid, and the object is gone (contract 3.7)', async () => {
  const { post, del, get } = await talk();
  const { body: made } = await post(configMaps, configMap('a'));
  const { status, body } = await del(`${configMaps}/a`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kind: 'Status',
    status: 'Success',
    details: { name: 'a', kind: 'configmaps', uid: made.metadata.uid },
  });
  expect((await get(`${configMaps}/a`)).body.message).toBe('configmaps "a" not found');
  expect((await del(`${configMaps}/a`)).status).toBe(404);
});

test('a finalizer keeps the object, marked; removing the last one lets it go', async () => {
  const { post, del, get, patch, watch } = await talk();
  const { body: made } = await post(configMaps, configMap('a', {}, { finalizers: ['test.dev/hold'] }));
  const watching = await watch(`${configMaps}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
  const { body: marked } = await del(`${configMaps}/a`);
  expect(marked).toMatchObject({
    kind: 'ConfigMap',
    metadata: { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 },
  });
  const again = await del(`${configMaps}/a`);
  expect(again.body.metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
  const added = await patch(`${configMaps}/a`, 'merge-patch+json', {
    metadata: { finalizers: ['test.dev/hold', 'test.dev/more'] },
  });
  expect([added.status, added.body.message]).toEqual([
    422,
    'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"test.dev/more"}',
  ]);
  await patch(`${configMaps}/a`, 'merge-patch+json', { metadata: { finalizers: null } });
  expect((await get(`${configMaps}/a`)).status).toBe(404);
  expect((await watching.next()).type).toBe('MODIFIED');
  const { type, object } = await watching.next();
  expect([type, Number(object.metadata.resourceVersion) > Number(marked.metadata.resourceVersion)]).toEqual([
    'DELETED',
    true,
  ]);
  await watching.stop();
});

test('preconditions hold a delete back', async () => {
  const { post, del } = await talk();
  await post(configMaps, configMap('a'));
  const { status, body } = await del(`${configMaps}/a`, { preconditions: { uid: 'other' } });
  expect([status, body.reason]).toEqual([409, 'Conflict']);
  expect((await del(`${configMaps}/a`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
});

test('a dry run deletes nothing', async () => {
  const { post, del, get } = await talk();
  await post(configMaps, configMap('a'));
  expect((await del(`${configMaps}/a?dryRun=All`)).body.status).toBe('Success');
  expect((await del(`${configMaps}/a`, { dryRun: ['All'] })).body.status).toBe('Success');
  expect((await get(`${configMaps}/a`)).status).toBe(200);
});

test('a whole collection can be deleted, by selector, and comes back as a list', async () => {
  const { post, del, get } = await talk();
  for (const name of ['a', 'b', 'c'])
    await post(configMaps, configMap(name, {}, { labels: { keep: String(name === 'b') } }));
  const { body } = await del(`${configMaps}?labelSelector=keep%3Dfalse`);
  expect([body.kind, body.items.map((item: any) => item.metadata.name)]).toEqual([
    'ConfigMapList',
    ['a', 'c'],
  ]);
  const left = (await get(configMaps)).body.items.map((item: any) => item.metadata.name);
  expect(left).toEqual(['b', 'kube-root-ca.crt']);
});

test('a pod that runs is given its grace, one that does not is taken at once', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const { post, del, get, patch } = await talk({ clock });
  const pod = (name: string, nodeName?: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      ...(nodeName && { nodeName }),
      terminationGracePeriodSeconds: 20,
      containers: [{ name: 'c', image: 'i' }],
    },
  });
  await post(pods, pod('waiting'));
  expect((await del(`${pods}/waiting`)).body.kind).toBe('Pod');
  expect((await get(`${pods}/waiting`)).status).toBe(404);
  await post(pods, pod('running', 'embedded-0'));
  await patch(`${pods}/running/status`, 'merge-patch+json', { status: { phase: 'Running' } });
  const { body } = await del(`${pods}/running`);
  expect(body.metadata).toMatchObject({
    deletionTimestamp: '2026-01-02T03:04:25Z',
    deletionGracePeriodSeconds: 20,
  });
  expect((await get(`${pods}/running`)).status).toBe(200);
  expect((await del(`${pods}/running`, { gracePeriodSeconds: 0 })).body.kind).toBe('Pod');
  expect((await get(`${pods}/running`)).status).toBe(404);
});

test('a policy nobody knows is refused', async () => {
  const { del } = await talk();
  const { status, body } = await del(`${configMaps}/a`, { propagationPolicy: 'Sideways' });
  expect([status, body.message]).toEqual([
    422,
    expect.stringContaining('propagationPolicy: Unsupported value: "Sideways"'),
  ]);
});
