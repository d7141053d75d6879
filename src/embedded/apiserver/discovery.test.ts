import { expect, test } from 'vitest';
import { talk } from '../../../test/talk.ts';

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

test('the aggregated form answers with its parameters in the content type (contract 2.1)', async () => {
  const { get } = await talk();
  const { headers, body } = await get('/apis?timeout=32s', { accept: aggregated });
  expect(headers['content-type']).toBe(
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  );
  const apps = body.items.find((item: any) => item.metadata.name === 'apps');
  const deployments = apps.versions[0].resources.find((one: any) => one.resource === 'deployments');
  expect(deployments).toMatchObject({
    responseKind: { group: '', version: '', kind: 'Deployment' },
    scope: 'Namespaced',
    singularResource: 'deployment',
    shortNames: ['deploy'],
    categories: ['all'],
  });
  expect(deployments.subresources.map((one: any) => one.subresource)).toEqual(['scale', 'status']);
  const core = await get('/api', { accept: aggregated });
  expect(core.body.items[0].versions[0].version).toBe('v1');
});

test('the old form is still spoken', async () => {
  const { get } = await talk();
  expect((await get('/api')).body.versions).toEqual(['v1']);
  const { body: groups } = await get('/apis');
  const autoscaling = groups.groups.find((group: any) => group.name === 'autoscaling');
  expect(autoscaling.preferredVersion).toEqual({ groupVersion: 'autoscaling/v2', version: 'v2' });
  expect((await get('/apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
  const { body: apps } = await get('/apis/apps/v1');
  expect(apps.resources.find((one: any) => one.name === 'deployments/scale')).toMatchObject({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
  });
  expect((await get('/apis/nowhere.dev')).status).toBe(404);
});

test('what has not changed is not sent again', async () => {
  const { get } = await talk();
  const { headers } = await get('/apis', { accept: aggregated });
  const again = await get('/apis', { accept: aggregated, 'if-none-match': headers.etag ?? '' });
  expect([again.status, again.body]).toEqual([304, '']);
});

test('the description of a kind holds what kubectl looks for (contract 2.2)', async () => {
  const { get } = await talk();
  const { body: index } = await get('/openapi/v3');
  const { serverRelativeURL } = index.paths['apis/apps/v1'];
  const { body } = await get(`${serverRelativeURL}&timeout=32s`);
  const { patch } = body.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
  expect(patch['x-kubernetes-group-version-kind']).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
  });
  expect(patch.parameters.map((one: any) => one.name)).toContain('fieldValidation');
  expect(Object.keys(patch.requestBody.content)).toContain('application/strategic-merge-patch+json');
  expect(body.components.schemas['io.k8s.api.apps.v1.Deployment']['x-kubernetes-group-version-kind']).toEqual(
    [{ group: 'apps', version: 'v1', kind: 'Deployment' }],
  );
});

test('the old description is a stub whose content type has a dot', async () => {
  const { get } = await talk();
  const { headers } = await get('/openapi/v2', {
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  });
  expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
});

test.each(['/healthz', '/livez', '/readyz', '/readyz/ping'])('%s is ok', async (path) => {
  const { get } = await talk();
  expect((await get(path)).body).toBe('ok');
});

test.each(['/', '/nowhere', '/apis/nowhere.dev/v1/nothings'])('%s is nowhere', async (path) => {
  const { get } = await talk();
  const { status, headers, body } = await get(path);
  expect([status, headers['content-type'], body]).toEqual([
    404,
    'text/plain; charset=utf-8',
    '404 page not found\n',
  ]);
});

test('what needs more than HTTP says so', async () => {
  const { get, post } = await talk();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  await post('/api/v1/namespaces/default/pods', pod);
  const { status, body } = await get('/api/v1/namespaces/default/pods/p/exec');
  expect([status, body.message]).toEqual([400, 'Upgrade request required']);
});

test('whoever asks only for a form that is gone is refused (contract 2.1)', async () => {
  const { get } = await talk();
  const beta = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
  expect((await get('/apis', { accept: beta })).status).toBe(406);
  expect((await get('/apis', { accept: `${beta},application/json` })).body.kind).toBe('APIGroupList');
});

test('below what is served a missing place is told as a Status', async () => {
  const { get } = await talk();
  for (const path of ['/api/v1/nothings', '/apis/apps/v1/namespaces/default/deployments/x/nothing']) {
    const { status, body } = await get(path);
    expect([path, status, body.message]).toEqual([
      path,
      404,
      'the server could not find the requested resource',
    ]);
  }
});

test('kinds that Kubernetes advises against say so in every answer', async () => {
  const { get } = await talk();
  const { headers } = await get('/api/v1/namespaces/default/endpoints');
  expect(headers.warning).toBe(
    '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
  );
  expect((await get('/api/v1/namespaces/default/services')).headers.warning).toBeUndefined();
});
