import { expect, test } from 'vitest';
import { type Ctx, silent, virtualClock } from '#base/std';
import { Discovery } from './discovery.ts';
import { createHttp } from './http.ts';
import type { KubeResponse } from './transport.ts';

const clock = virtualClock();
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };

type Documents = Record<string, unknown>;

/** Serves what `documents` holds at the moment, with an ETag that changes with the content. */
function discoveryOf(documents: Documents) {
  const asked: string[] = [];
  const transport = async ({
    path,
    headers,
  }: {
    path: string;
    headers: Readonly<Record<string, string>>;
  }): Promise<KubeResponse> => {
    const document = documents[path];
    if (document === undefined) return { status: 503, headers: {}, body: '' };
    const body = JSON.stringify(document);
    const etag = `"${body.length}"`;
    const same = headers['if-none-match'] === etag;
    asked.push(same ? `${path} unchanged` : path);
    return same ? { status: 304, headers: {}, body: '' } : { status: 200, headers: { ETag: etag }, body };
  };
  return { discovery: new Discovery(createHttp({ transport })), asked };
}

const kind = (resource: string, name: string, more: object = {}) => ({
  resource,
  responseKind: { kind: name },
  scope: 'Namespaced',
  verbs: ['list', 'watch'],
  ...more,
});
const group = (name: string, ...versions: object[]) => ({ metadata: { name }, versions });
const groups = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', items });

const core = groups(
  group('', {
    version: 'v1',
    resources: [
      kind('pods', 'Pod', { subresources: [{ subresource: 'log' }] }),
      kind('namespaces', 'Namespace', { scope: 'Cluster' }),
    ],
  }),
);
const deployments = {
  version: 'v1',
  resources: [
    kind('deployments', 'Deployment', {
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    }),
  ],
};
const scaling = group(
  'autoscaling',
  { version: 'v2', resources: [kind('horizontalpodautoscalers', 'HorizontalPodAutoscaler')] },
  { version: 'v1', resources: [kind('horizontalpodautoscalers', 'HorizontalPodAutoscaler')] },
);

test('reads both documents once and answers from memory', async () => {
  const { discovery, asked } = discoveryOf({
    '/api': core,
    '/apis': groups(group('apps', deployments), scaling),
  });
  const deployment = await discovery.resource(ctx, { apiVersion: 'apps/v1', kind: 'Deployment' });
  expect(deployment).toEqual({
    group: 'apps',
    version: 'v1',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    singular: 'deployment',
    namespaced: true,
    verbs: ['list', 'watch'],
    subresources: [],
    shortNames: ['deploy'],
    categories: ['all'],
    preferred: true,
  });
  const { resources, stale } = await discovery.catalog(ctx);
  expect(
    resources.map(({ apiVersion, plural, namespaced, preferred, subresources }) => [
      apiVersion,
      plural,
      namespaced,
      preferred,
      subresources.join(),
    ]),
  ).toEqual([
    ['v1', 'pods', true, true, 'log'],
    ['v1', 'namespaces', false, true, ''],
    ['apps/v1', 'deployments', true, true, ''],
    ['autoscaling/v2', 'horizontalpodautoscalers', true, true, ''],
    ['autoscaling/v1', 'horizontalpodautoscalers', true, false, ''],
  ]);
  expect(stale.size).toBe(0);
  expect(asked).toEqual(['/api', '/apis']);
});

test('invariant 3: a missing kind is looked for again before it is denied, and found when it has come', async () => {
  const documents: Documents = { '/api': core, '/apis': groups() };
  const { discovery, asked } = discoveryOf(documents);
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
  await expect(discovery.resource(ctx, widget)).rejects.toMatchObject({
    reason: 'NoMatch',
    code: 'NotFound',
    message:
      'the cluster does not serve Widget in example.com/v1: install its CustomResourceDefinition, or correct the apiVersion',
  });
  expect(asked).toEqual(['/api', '/apis', '/api unchanged', '/apis unchanged']);
  documents['/apis'] = groups(
    group('example.com', { version: 'v1', resources: [kind('widgets', 'Widget')] }),
  );
  expect((await discovery.resource(ctx, widget)).plural).toBe('widgets');
});

test('any number may ask at once, and a reading that began too early is not believed', async () => {
  const documents: Documents = { '/api': core, '/apis': groups() };
  const { discovery, asked } = discoveryOf(documents);
  const early = discovery.catalog(ctx); // under way before the definition below exists
  await Promise.resolve();
  const all = Promise.all(
    Array.from({ length: 50 }, () => {
      discovery.invalidate();
      return discovery.catalog(ctx);
    }),
  );
  documents['/apis'] = groups(
    group('example.com', { version: 'v1', resources: [kind('widgets', 'Widget')] }),
  );
  await early;
  expect((await all).every(({ resources }) => resources.some((one) => one.kind === 'Widget'))).toBe(true);
  expect(asked.length).toBe(4);
});

test('what is old is read again', async () => {
  const { discovery, asked } = discoveryOf({ '/api': core, '/apis': groups() });
  await discovery.catalog(ctx);
  await clock.advance(9 * 60_000);
  await discovery.catalog(ctx);
  await clock.advance(2 * 60_000);
  await discovery.catalog(ctx);
  expect(asked).toEqual(['/api', '/apis', '/api unchanged', '/apis unchanged']);
});

test('invariant 3: kinds of a server that does not answer are unknown, not absent', async () => {
  const { discovery } = discoveryOf({
    '/api': core,
    '/apis': groups(group('metrics.k8s.io', { version: 'v1beta1', freshness: 'Stale', resources: [] })),
  });
  expect((await discovery.catalog(ctx)).stale).toEqual(new Set(['metrics.k8s.io/v1beta1']));
  await expect(
    discovery.resource(ctx, { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' }),
  ).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
    terminal: false,
  });
});

test('a server that knows only the old documents is asked one group version at a time', async () => {
  const { discovery } = discoveryOf({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'autoscaling',
          versions: [{ version: 'v1' }, { version: 'v2' }],
          preferredVersion: { version: 'v2' },
        },
        { name: 'broken.example.com', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'] },
        { name: 'pods/log', kind: 'Pod', namespaced: true },
      ],
    },
    '/apis/autoscaling/v1': {
      resources: [{ name: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true }],
    },
    '/apis/autoscaling/v2': {
      resources: [{ name: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true }],
    },
  });
  const { resources, stale } = await discovery.catalog(ctx);
  expect(
    resources.map(({ apiVersion, plural, preferred, subresources }) => [
      apiVersion,
      plural,
      preferred,
      ...subresources,
    ]),
  ).toEqual([
    ['v1', 'pods', true, 'log'],
    ['autoscaling/v2', 'horizontalpodautoscalers', true],
    ['autoscaling/v1', 'horizontalpodautoscalers', false],
  ]);
  expect(stale).toEqual(new Set(['broken.example.com/v1']));
});

test('a cluster that cannot be asked at all is an error', async () => {
  await expect(discoveryOf({ '/api': core }).discovery.catalog(ctx)).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
  });
});
