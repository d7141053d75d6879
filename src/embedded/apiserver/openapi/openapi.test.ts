import { expect, test } from 'vitest';
import { type JsonObject, parseJson } from '#base/std';
import { ServedKinds, type ServedResource } from '../kinds.ts';
import { OpenApi } from '../openapi.ts';

const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
const widget = (schema: JsonObject): ServedResource =>
  ({
    ...gvk,
    plural: 'widgets',
    singular: 'widget',
    listKind: 'WidgetList',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['get', 'list', 'patch', 'create'],
    subresources: [],
    hasGeneration: true,
    collection: 'example.com/widgets',
    kept: gvk,
    custom: { definition: 'widgets.example.com', schema },
  }) as unknown as ServedResource;

function ask(path: string, headers: Record<string, string> = {}, kinds = new ServedKinds()) {
  const { signal } = new AbortController();
  const segments = path.split('?')[0]?.split('/').slice(1) ?? [];
  const answer = new OpenApi(kinds).answer(segments, { method: 'GET', path, headers, signal });
  if (!answer) throw new Error(`nothing at ${path}`);
  return answer;
}

const read = (path: string, kinds?: ServedKinds): any => parseJson(String(ask(path, {}, kinds).body));

test('a document may be kept as long as its hash is asked for; another hash leads to it', () => {
  const { serverRelativeURL } = read('/openapi/v3').paths['apis/apps/v1'];
  const { status, headers } = ask(serverRelativeURL);
  expect([status, headers['cache-control']]).toEqual([200, 'public, immutable']);
  expect(serverRelativeURL).toContain(`hash=${headers.etag?.replaceAll('"', '')}`);
  expect(ask('/openapi/v3/apis/apps/v1', { 'if-none-match': headers.etag ?? '' }).status).toBe(304);
  const moved = ask('/openapi/v3/apis/apps/v1?hash=OLD');
  expect([moved.status, moved.headers.location]).toEqual([301, serverRelativeURL]);
});

test('what cannot be given in JSON is not given', () => {
  expect(ask('/openapi/v3/version', { accept: 'text/html' }).status).toBe(406);
  expect(ask('/openapi/v3/version', { accept: 'text/html, */*' }).status).toBe(200);
});

test('fields carry what patching and validating clients look for', () => {
  const { schemas } = read('/openapi/v3/apis/apps/v1').components;
  expect(schemas['io.k8s.api.core.v1.PodSpec'].properties.containers).toMatchObject({
    type: 'array',
    items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'name',
  });
  const port = schemas['io.k8s.api.core.v1.ContainerPort'];
  expect([port.required, port.properties.protocol]).toMatchObject([
    ['containerPort'],
    { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
  ]);
  expect(schemas['io.k8s.api.apps.v1.DeploymentSpec'].description).toMatch(/\w/);
});

test('every reference of every document leads somewhere', () => {
  for (const path of Object.keys(read('/openapi/v3').paths)) {
    const text = String(ask(`/openapi/v3/${path}`).body);
    const { schemas } = (parseJson(text) as { components: { schemas: object } }).components;
    const wanted = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    expect([path, [...wanted].filter((name) => !Object.hasOwn(schemas, name ?? ''))]).toEqual([path, []]);
  }
});

test('a definition is published with what every object has', () => {
  const kinds = new ServedKinds();
  const spec = {
    type: 'object',
    properties: {
      port: { 'x-kubernetes-int-or-string': true },
      inner: { type: 'object', 'x-kubernetes-embedded-resource': true },
    },
  };
  kinds.serve('widgets.example.com', [widget({ type: 'object', properties: { spec } })]);
  const { paths, components } = read('/openapi/v3/apis/example.com/v1', kinds);
  const { properties } = components.schemas['com.example.v1.Widget'];
  expect(Object.keys(properties)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  expect(properties.spec.properties.port.anyOf).toEqual([{ type: 'integer' }, { type: 'string' }]);
  expect(properties.spec.properties.inner.required).toEqual(['kind', 'apiVersion']);
  const { patch } = paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}'];
  expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json');
});

test('a definition that changes changes its hash at once', () => {
  const kinds = new ServedKinds();
  const hash = () => read('/openapi/v3', kinds).paths['apis/example.com/v1'].serverRelativeURL;
  kinds.serve('widgets.example.com', [widget({ type: 'object' })]);
  const before = hash();
  kinds.serve('widgets.example.com', [widget({ type: 'object', description: 'more' })]);
  expect(hash()).not.toBe(before);
});
