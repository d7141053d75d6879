import { expect, test } from 'vitest';
import { configMap, deployment, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

test('an update based on an old version is a conflict, in the words clients look for (contract 3.6)', async () => {
  const { post, put } = await talk();
  const { body: first } = await post(configMaps, configMap('a', { x: '1' }));
  await put(`${configMaps}/a`, { ...first, data: { x: '2' } });
  const { status, body } = await put(`${configMaps}/a`, { ...first, data: { x: '3' } });
  expect([status, body.reason, body.message]).toEqual([
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ]);
});

test('an update that names no version replaces whatever is there, and may leave the namespace out', async () => {
  const { post, put } = await talk();
  await post(configMaps, configMap('a', { x: '1' }));
  const { status, body } = await put(`${configMaps}/a`, configMap('a', { y: '2' }));
  expect([status, body.data, body.metadata.namespace]).toEqual([200, { y: '2' }, 'default']);
});

test('a kind that insists on a version says so', async () => {
  const { post, put } = await talk();
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
  await post(leases, lease);
  const { status, body } = await put(`${leases}/l`, lease);
  expect([status, body.message]).toEqual([
    422,
    'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ]);
});

test('some kinds are made by an update, most are not', async () => {
  const { put } = await talk();
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r' },
    rules: [],
  };
  expect((await put('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r', role)).status).toBe(201);
  expect((await put(`${configMaps}/a`, configMap('a'))).status).toBe(404);
});

test('a write that changes nothing keeps its version and wakes no watcher (invariant 4)', async () => {
  const { post, put, watch } = await talk();
  const { body: made } = await post(configMaps, configMap('a', { x: '1' }));
  const watching = await watch(`${configMaps}?watch=true&resourceVersion=${made.metadata.resourceVersion}`);
  const { body: same } = await put(`${configMaps}/a`, made);
  expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  await put(`${configMaps}/a`, { ...made, data: { x: '2' } });
  expect((await watching.next()).object.data).toEqual({ x: '2' });
  await watching.stop();
});

test('spec changes count generations; labels and status do not', async () => {
  const { post, patch, get } = await talk();
  await post(deployments, deployment('web'));
  await patch(`${deployments}/web`, 'merge-patch+json', { metadata: { labels: { a: 'b' } } });
  await patch(`${deployments}/web/status`, 'merge-patch+json', { status: { replicas: 1 } });
  expect((await get(`${deployments}/web`)).body.metadata.generation).toBe(1);
  await patch(`${deployments}/web`, 'merge-patch+json', { spec: { replicas: 5 } });
  expect((await get(`${deployments}/web`)).body.metadata.generation).toBe(2);
});

test('the main path leaves status alone and the status path everything else', async () => {
  const { post, patch, get } = await talk();
  await post(deployments, deployment('web'));
  await patch(`${deployments}/web`, 'merge-patch+json', { status: { replicas: 7 } });
  await patch(`${deployments}/web/status`, 'merge-patch+json', {
    status: { replicas: 3 },
    spec: { replicas: 9 },
  });
  const { body } = await get(`${deployments}/web`);
  expect([body.status.replicas, body.spec.replicas]).toEqual([3, 1]);
  const owners = body.metadata.managedFields.map((entry: any) => [entry.manager, entry.subresource]);
  expect(owners).toEqual([
    ['talk', undefined],
    ['talk', 'status'],
  ]);
});

test('a body with another uid, or another name than the URL, is refused', async () => {
  const { post, put } = await talk();
  const { body } = await post(configMaps, configMap('a'));
  const other = await put(`${configMaps}/a`, { ...body, metadata: { ...body.metadata, uid: 'else' } });
  expect([other.status, other.body.message]).toEqual([
    409,
    expect.stringContaining('Precondition failed: UID in precondition: else, UID in object meta:'),
  ]);
  const renamed = await put(`${configMaps}/a`, { ...body, metadata: { ...body.metadata, name: 'b' } });
  expect([renamed.status, renamed.body.message]).toEqual([
    400,
    'the name of the object (b) does not match the name on the URL (a)',
  ]);
});

test.each([
  {
    what: 'a Deployment selector',
    path: deployments,
    object: deployment('web'),
    change: {
      spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } } } },
    },
    message: 'spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable',
  },
  {
    what: 'the data of an immutable ConfigMap',
    path: configMaps,
    object: { ...configMap('web', { x: '1' }), immutable: true },
    change: { data: { x: '2' } },
    message: 'data: Forbidden: field is immutable when `immutable` is set',
  },
  {
    what: 'the type of a Secret',
    path: '/api/v1/namespaces/default/secrets',
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, type: 'a' },
    change: { type: 'b' },
    message: 'type: Invalid value: "b": field is immutable',
  },
])('$what cannot change (contract 3.13)', async ({ path, object, change, message }) => {
  const { post, patch } = await talk();
  expect((await post(path, object)).status).toBe(201);
  const { status, body } = await patch(`${path}/web`, 'merge-patch+json', change);
  expect(status).toBe(422);
  expect(body.message).toContain(message);
});
