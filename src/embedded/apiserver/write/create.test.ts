import { expect, test } from 'vitest';
import { configMap, deployment, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('a new object gets identity, date and resourceVersion, and is answered with 201', async () => {
  const { post, get } = await talk();
  const made = await post(configMaps, configMap('a', { x: '1' }));
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'default', creationTimestamp: '2026-01-02T03:04:05Z' },
    data: { x: '1' },
  });
  expect(made.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(Number(made.body.metadata.resourceVersion)).toBeGreaterThan(1);
  expect(made.body.metadata.generation).toBeUndefined();
  expect((await get(`${configMaps}/a`)).body).toEqual(made.body);
});

test('generateName makes a name of the safe alphabet, cut to fit (contract 3.5)', async () => {
  const { post } = await talk();
  const { body } = await post(configMaps, { ...configMap(''), metadata: { generateName: 'x'.repeat(80) } });
  expect(body.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('the second of a name is refused with 409, naming the resource', async () => {
  const { post } = await talk();
  await post(configMaps, configMap('a'));
  const { status, body } = await post(configMaps, configMap('a'));
  expect(status).toBe(409);
  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "a" already exists',
    reason: 'AlreadyExists',
    details: { name: 'a', kind: 'configmaps' },
    code: 409,
  });
});

test.each([
  [
    'another namespace',
    { namespace: 'other', name: 'a' },
    400,
    'the namespace of the provided object does not match',
  ],
  ['no name', {}, 422, 'name or generateName is required'],
  [
    'a resourceVersion',
    { name: 'a', resourceVersion: '5' },
    500,
    'resourceVersion should not be set on objects to be created',
  ],
  ['an impossible name', { name: 'A_b' }, 422, 'a lowercase RFC 1123 subdomain must consist of'],
  [
    'an impossible label',
    { name: 'a', labels: { k: 'a b' } },
    422,
    'metadata.labels: Invalid value: "a b": a valid label must be',
  ],
  [
    'an owner without a uid',
    { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] },
    422,
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ],
])('%s is refused', async (_what, metadata, code, message) => {
  const { post } = await talk();
  const { status, body } = await post(configMaps, { ...configMap('a'), metadata });
  expect(status).toBe(code);
  expect(body.message).toContain(message);
});

test('nothing can be made in a namespace that does not exist', async () => {
  const { post } = await talk();
  const { status, body } = await post('/api/v1/namespaces/nowhere/configmaps', configMap('a'));
  expect([status, body.message]).toEqual([404, 'namespaces "nowhere" not found']);
  expect(body.details).toEqual({ name: 'nowhere', kind: 'namespaces' });
});

test('dry run shows what would be and keeps nothing', async () => {
  const { post, get } = await talk();
  const { status, body } = await post(`${configMaps}?dryRun=All`, configMap('a', { x: '1' }));
  expect([status, body.data.x]).toEqual([201, '1']);
  expect((await get(`${configMaps}/a`)).status).toBe(404);
});

test('status is not for creators, and counting generations starts at 1 (contract 3.8)', async () => {
  const { post } = await talk();
  const { body } = await post('/apis/apps/v1/namespaces/default/deployments', {
    ...deployment('web'),
    status: { replicas: 9 },
  });
  expect(body.status).toEqual({});
  expect(body.metadata.generation).toBe(1);
});

test('the creator owns what it wrote, in managedFields', async () => {
  const { post } = await talk();
  const { body } = await post(`${configMaps}?fieldManager=me`, configMap('a', { x: '1' }));
  expect(body.metadata.managedFields).toEqual([
    {
      manager: 'me',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
    },
  ]);
});

test('an integer beyond 2^53 comes back as it was (decision 4)', async () => {
  const { post, get } = await talk();
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  await post(path, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'r' },
    data: {},
    revision: 9007199254740993n,
  });
  expect((await get(`${path}/r`)).body.revision).toBe(9007199254740993n);
});

test('a validation error is a 422 that names the Kind and lists its causes (contract 3.17)', async () => {
  const { post } = await talk();
  const web = deployment('web');
  const body = { ...web, spec: { ...web.spec, selector: { matchLabels: { app: 'other' } } } };
  const answer = await post('/apis/apps/v1/namespaces/default/deployments', body);
  expect(answer.status).toBe(422);
  expect(answer.body.message).toBe(
    'Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
  );
  expect(answer.body.details).toEqual({
    name: 'web',
    group: 'apps',
    kind: 'Deployment',
    causes: [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
        field: 'spec.template.metadata.labels',
      },
    ],
  });
});
