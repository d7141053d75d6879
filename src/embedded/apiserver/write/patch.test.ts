import { expect, test } from 'vitest';
import { configMap, deployment, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

test('a JSON patch runs its operations in order, and fails as a whole', async () => {
  const { post, patch, get } = await talk();
  await post(configMaps, configMap('a', { x: '1' }));
  const ok = await patch(`${configMaps}/a`, 'json-patch+json', [
    { op: 'test', path: '/data/x', value: '1' },
    { op: 'add', path: '/data/y', value: '2' },
  ]);
  expect([ok.status, ok.body.data]).toEqual([200, { x: '1', y: '2' }]);
  const failed = await patch(`${configMaps}/a`, 'json-patch+json', [
    { op: 'add', path: '/data/z', value: '3' },
    { op: 'test', path: '/data/x', value: 'no' },
  ]);
  expect([failed.status, failed.body.message]).toEqual([
    422,
    'the server rejected our request due to an error in our request',
  ]);
  expect((await get(`${configMaps}/a`)).body.data).toEqual({ x: '1', y: '2' });
});

test('a merge patch merges and removes with null', async () => {
  const { post, patch } = await talk();
  await post(configMaps, configMap('a', { x: '1', y: '2' }));
  const { body } = await patch(`${configMaps}/a`, 'merge-patch+json', { data: { x: null, z: '3' } });
  expect(body.data).toEqual({ y: '2', z: '3' });
});

test('a strategic merge patch finds containers by name', async () => {
  const { post, patch } = await talk();
  await post(deployments, deployment('web'));
  const template = {
    spec: {
      containers: [
        { name: 'side', image: 'b:1' },
        { name: 'main', image: 'nginx:2' },
      ],
    },
  };
  const { body } = await patch(`${deployments}/web`, 'strategic-merge-patch+json', { spec: { template } });
  const images = body.spec.template.spec.containers.map((one: any) => `${one.name}=${one.image}`).toSorted();
  expect(images).toEqual(['main=nginx:2', 'side=b:1']);
});

test('a version inside a patch is a condition', async () => {
  const { post, patch } = await talk();
  await post(configMaps, configMap('a'));
  const { status } = await patch(`${configMaps}/a`, 'merge-patch+json', {
    metadata: { resourceVersion: '1' },
    data: { x: '1' },
  });
  expect(status).toBe(409);
});

test('apply creates, owns, and gives up what it no longer says', async () => {
  const { patch } = await talk();
  const path = `${configMaps}/a?fieldManager=me`;
  const first = await patch(path, 'apply-patch+yaml', configMap('a', { x: '1', y: '2' }));
  expect([first.status, first.body.data]).toEqual([201, { x: '1', y: '2' }]);
  const again = await patch(path, 'apply-patch+yaml', configMap('a', { x: '1', y: '2' }));
  expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  const less = await patch(path, 'apply-patch+yaml', configMap('a', { x: '1' }));
  expect([less.status, less.body.data]).toEqual([200, { x: '1' }]);
});

test('apply may be YAML', async () => {
  const { patch } = await talk();
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n';
  const { status, body } = await patch(`${configMaps}/a?fieldManager=me`, 'apply-patch+yaml', yaml);
  expect([status, body.data]).toEqual([201, { x: '1' }]);
});

test('what another manager owns is a conflict until it is forced (contract 3.9)', async () => {
  const { patch } = await talk();
  await patch(`${configMaps}/a?fieldManager=first`, 'apply-patch+yaml', configMap('a', { x: '1' }));
  const refused = await patch(
    `${configMaps}/a?fieldManager=second`,
    'apply-patch+yaml',
    configMap('a', { x: '2' }),
  );
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('Apply failed with 1 conflict: conflict with "first"');
  expect(refused.body.details.causes).toEqual([
    {
      reason: 'FieldManagerConflict',
      message: expect.stringContaining('conflict with "first"'),
      field: '.data.x',
    },
  ]);
  const path = `${configMaps}/a?fieldManager=second&force=true`;
  const forced = await patch(path, 'apply-patch+yaml', configMap('a', { x: '2' }));
  expect([forced.status, forced.body.data]).toEqual([200, { x: '2' }]);
});

test.each([
  {
    what: 'apply without a manager',
    type: 'apply-patch+yaml',
    code: 422,
    message:
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  },
  {
    what: 'force outside apply',
    query: '?force=true',
    code: 422,
    message: 'force: Forbidden: may not be specified for non-apply patch',
  },
  { what: 'an unknown patch language', type: 'whatever', code: 415, message: '415: Unsupported Media Type' },
  {
    what: 'a dry run that is not All',
    query: '?dryRun=Some',
    code: 422,
    message: 'dryRun: Unsupported value',
  },
])('$what is refused (contract 3.6)', async ({ query = '', type = 'merge-patch+json', code, message }) => {
  const { post, patch } = await talk();
  await post(configMaps, configMap('a'));
  const { status, body } = await patch(`${configMaps}/a${query}`, type as any, configMap('a', { x: '1' }));
  expect(status).toBe(code);
  expect(body.message).toContain(message);
});

test('scaling changes the number and nothing else, and owns it', async () => {
  const { post, patch, get } = await talk();
  await post(deployments, deployment('web'));
  const scale = await patch(`${deployments}/web/scale?fieldManager=hpa`, 'merge-patch+json', {
    spec: { replicas: 4 },
  });
  expect(scale.body).toMatchObject({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'web' },
    spec: { replicas: 4 },
    status: { replicas: 0, selector: 'app=web' },
  });
  const { body } = await get(`${deployments}/web`);
  const entry = body.metadata.managedFields.find((one: any) => one.manager === 'hpa');
  expect([body.spec.replicas, entry.subresource, entry.fieldsV1]).toEqual([
    4,
    'scale',
    { 'f:spec': { 'f:replicas': {} } },
  ]);
});
