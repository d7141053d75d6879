import { expect, test } from 'vitest';
import { configMap, deployment, talk } from '../../../../test/talk.ts';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const broken = { ...deployment('web'), spec: { ...deployment('web').spec, foo: 1 } };

test('an unknown field is refused when strict, reported when warned, passed over when ignored (contract 3.14)', async () => {
  const { post } = await talk();
  const strict = await post(`${deployments}?fieldValidation=Strict`, broken);
  expect([strict.status, strict.body.message]).toEqual([
    400,
    'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"',
  ]);
  const warned = await post(`${deployments}?dryRun=All`, broken);
  expect([warned.status, warned.headers.warning]).toEqual([201, '299 - "unknown field \\"spec.foo\\""']);
  expect(warned.body.spec.foo).toBeUndefined();
  const ignored = await post(`${deployments}?dryRun=All&fieldValidation=Ignore`, broken);
  expect([ignored.status, ignored.headers.warning]).toEqual([201, undefined]);
});

test('a key given twice is found although the parser hides it', async () => {
  const { post } = await talk();
  const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}';
  const { status, body: answer } = await post(
    '/api/v1/namespaces/default/configmaps?fieldValidation=Strict',
    body,
  );
  expect([status, answer.message]).toEqual([
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.x"',
  ]);
});

test('a value of the wrong type is refused whatever the strictness', async () => {
  const { post } = await talk();
  const wrong = { ...deployment('web'), spec: { ...deployment('web').spec, replicas: 'two' } };
  const { status, body } = await post(`${deployments}?fieldValidation=Ignore`, wrong);
  expect(status).toBe(400);
  expect(body.message).toContain(
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  );
});

test.each([
  [
    'another version',
    { ...deployment('web'), apiVersion: 'apps/v1beta1' },
    'no kind "Deployment" is registered for version "apps/v1beta1" in scheme',
  ],
  [
    'another kind',
    { ...deployment('web'), kind: 'Pod' },
    'Pod in version "v1" cannot be handled as a Deployment',
  ],
  ['no JSON at all', '{"kind":', "couldn't get version/kind; json parse error"],
  ['a list', '[]', 'json: cannot unmarshal array into Go value of type struct'],
])('%s is a bad request', async (_what, sent, message) => {
  const { post } = await talk();
  const { status, body } = await post(deployments, sent);
  expect(status).toBe(400);
  expect(body.message).toContain(message);
});

test('a body may be YAML, and may leave out what the URL says', async () => {
  const { post } = await talk();
  const yaml = 'metadata:\n  name: a\ndata:\n  x: "1"\n';
  const made = await post('/api/v1/namespaces/default/configmaps', yaml, {
    'content-type': 'application/yaml',
  });
  expect([made.status, made.body.kind, made.body.data]).toEqual([201, 'ConfigMap', { x: '1' }]);
});

test('other media types are refused with those that are accepted', async () => {
  const { post } = await talk();
  const { status, body } = await post('/api/v1/namespaces/default/configmaps', configMap('a'), {
    'content-type': 'text/csv',
  });
  expect(status).toBe(415);
  expect(body.message).toContain('accepted media types include: application/json, application/yaml');
});

test('a body over three megabytes is refused', async () => {
  const { post } = await talk();
  const { status, body } = await post(
    '/api/v1/namespaces/default/configmaps',
    configMap('a', { x: 'y'.repeat(3_200_000) }),
  );
  expect([status, body.reason]).toEqual([413, 'RequestEntityTooLarge']);
});
