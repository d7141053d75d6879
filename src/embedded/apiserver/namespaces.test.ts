import { expect, test } from 'vitest';
import { configMap, talk } from '../../../test/talk.ts';

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

test('a namespace is born active, labelled, and furnished with an account and a certificate (contract 3.16)', async () => {
  const { post, get, cluster } = await talk();
  const { body } = await post('/api/v1/namespaces', namespace('a'));
  expect(body).toMatchObject({
    metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  await cluster.settled();
  expect((await get('/api/v1/namespaces/a/serviceaccounts/default')).status).toBe(200);
  expect((await get('/api/v1/namespaces/a/configmaps/kube-root-ca.crt')).status).toBe(200);
});

test('deleting a namespace empties it, then takes it away', async () => {
  const { post, get, del, cluster } = await talk();
  await post('/api/v1/namespaces', namespace('a'));
  await post('/api/v1/namespaces/a/configmaps', configMap('x'));
  const { body } = await del('/api/v1/namespaces/a');
  expect([body.kind, body.status.phase]).toEqual(['Namespace', 'Terminating']);
  await cluster.settled();
  expect((await get('/api/v1/namespaces/a')).status).toBe(404);
  expect((await get('/api/v1/configmaps?fieldSelector=metadata.name%3Dx')).body.items).toEqual([]);
});

test('while something holds it, it says what, and takes in nothing new', async () => {
  const { post, get, del, patch, cluster } = await talk();
  await post('/api/v1/namespaces', namespace('a'));
  await post('/api/v1/namespaces/a/configmaps', configMap('x', {}, { finalizers: ['test.dev/hold'] }));
  await del('/api/v1/namespaces/a');
  await cluster.settled();
  const { body } = await get('/api/v1/namespaces/a');
  const condition = (type: string) => body.status.conditions.find((one: any) => one.type === type);
  expect(condition('NamespaceContentRemaining')).toMatchObject({
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: 'Some resources are remaining: configmaps. has 1 resource instances',
  });
  expect(condition('NamespaceFinalizersRemaining').message).toBe(
    'Some content in the namespace has finalizers remaining: test.dev/hold in 1 resource instances',
  );
  const refused = await post('/api/v1/namespaces/a/configmaps', configMap('y'));
  expect([refused.status, refused.body.message, refused.body.details.causes[0].reason]).toEqual([
    403,
    'configmaps "y" is forbidden: unable to create new content in namespace a because it is being terminated',
    'NamespaceTerminating',
  ]);
  await patch('/api/v1/namespaces/a/configmaps/x', 'merge-patch+json', { metadata: { finalizers: null } });
  await cluster.settled();
  expect((await get('/api/v1/namespaces/a')).status).toBe(404);
});

test.each(['default', 'kube-system', 'kube-public'])('%s cannot be deleted', async (name) => {
  const { del } = await talk();
  expect((await del(`/api/v1/namespaces/${name}`)).status).toBe(403);
});
