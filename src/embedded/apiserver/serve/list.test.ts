import { expect, test } from 'vitest';
import { configMap, deployment, type Talk, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const mine = 'labelSelector=mine';

async function filled(names: readonly string[], options = {}): Promise<Talk> {
  const speak = await talk(options);
  for (const name of names) await speak.post(configMaps, configMap(name, {}, { labels: { mine: name } }));
  return speak;
}
const names = (body: any): string[] => body.items.map((item: any) => item.metadata.name);

test('a list is sorted by key, has the version of the cluster, and its items say no kind (contract 3.4)', async () => {
  const { get, post } = await filled(['b', 'a', 'c']);
  const { body: last } = await post(
    '/api/v1/namespaces/kube-system/configmaps',
    configMap('0', {}, { labels: { mine: '' } }),
  );
  const { body } = await get(`/api/v1/configmaps?${mine}`);
  expect([body.kind, body.apiVersion, names(body)]).toEqual(['ConfigMapList', 'v1', ['a', 'b', 'c', '0']]);
  expect(body.metadata.resourceVersion).toBe(last.metadata.resourceVersion);
  expect([body.items[0].kind, body.items[0].apiVersion]).toEqual([undefined, undefined]);
  expect((await get('/api/v1/namespaces/nowhere/pods')).body.items).toEqual([]);
});

test('pages follow each other through one moment, whatever happens between them', async () => {
  const { get, del, post } = await filled(['a', 'b', 'c', 'd', 'e']);
  const first = (await get(`${configMaps}?limit=2`)).body;
  expect([names(first), first.metadata.remainingItemCount]).toEqual([['a', 'b'], 4]);
  await del(`${configMaps}/c`);
  await post(configMaps, configMap('bb'));
  const second = (await get(`${configMaps}?limit=3&continue=${first.metadata.continue}`)).body;
  expect(names(second)).toEqual(['c', 'd', 'e']);
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  const third = (await get(`${configMaps}?limit=3&continue=${second.metadata.continue}`)).body;
  expect([names(third), third.metadata.continue]).toEqual([['kube-root-ca.crt'], undefined]);
});

test('a page of a forgotten moment is 410 with a token to go on without consistency', async () => {
  const { get, post } = await filled(['a', 'b', 'c'], { history: { events: 2 } });
  const { body: first } = await get(`${configMaps}?limit=1`);
  for (let i = 0; i < 8; i++) await post(configMaps, configMap(`x${i}`));
  const { status, body } = await get(`${configMaps}?limit=1&continue=${first.metadata.continue}`);
  // a conformance case could not have this recorded: a real server forgets when etcd is compacted, minutes after its start
  expect([status, body.reason, body.message]).toEqual([
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  ]);
  const { resourceVersion } = first.metadata;
  const exact = await get(`${configMaps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  expect([exact.status, exact.body.message]).toEqual([
    410,
    'The resourceVersion for the provided list is too old.',
  ]);
  const { body: rest } = await get(`${configMaps}?limit=2&continue=${body.metadata.continue}`);
  expect(names(rest)).toEqual(['b', 'c']);
});

test('an exact version shows the past', async () => {
  const { get, put, post } = await filled(['a']);
  const { body: then } = await get(configMaps);
  await put(`${configMaps}/a`, configMap('a', { x: '1' }));
  await post(configMaps, configMap('b'));
  const { body } = await get(
    `${configMaps}?resourceVersion=${then.metadata.resourceVersion}&resourceVersionMatch=Exact`,
  );
  expect(body.items).toEqual(then.items);
});

test.each([
  ['labelSelector=mine in (a,c)', ['a', 'c']],
  ['labelSelector=mine,mine!=a', ['b', 'c']],
  ['labelSelector=!mine', ['kube-root-ca.crt']],
  ['fieldSelector=metadata.name=b', ['b']],
  ['fieldSelector=metadata.name!=b,metadata.namespace=default', ['a', 'c', 'kube-root-ca.crt']],
])('%s selects %s', async (query, expected) => {
  const { get } = await filled(['a', 'b', 'c']);
  expect(names((await get(`${configMaps}?${encodeURI(query)}`)).body)).toEqual(expected);
});

test.each([
  ['fieldSelector=spec.x=1', 400, 'spec.x\\" is not a known field selector: only'],
  ['labelSelector=a==b=c', 400, "found '=', expected: ',' or 'end of string'"],
  ['resourceVersionMatch=Exact', 422, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
  [
    'resourceVersionMatch=Exact&resourceVersion=0',
    422,
    'resourceVersionMatch \\"exact\\" is forbidden for resourceVersion',
  ],
  ['sendInitialEvents=true', 422, 'sendInitialEvents is forbidden for list'],
  ['continue=nonsense', 400, 'continue key is not valid'],
  ['resourceVersion=x', 400, 'invalid resource version'],
])('%s is refused', async (query, code, message) => {
  const { get } = await talk();
  const { status, body } = await get(`${configMaps}?${query}`);
  expect([status, JSON.stringify(body)]).toEqual([code, expect.stringContaining(message)]);
});

test('events can be found by what they are about, pods by where they are', async () => {
  const { post, get } = await talk();
  await post('/api/v1/namespaces/default/events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', uid: 'u' },
    reason: 'Started',
    type: 'Normal',
  });
  const found = await get(
    '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dp,involvedObject.uid%3Du',
  );
  expect(found.body.items).toHaveLength(1);
  const other = await get('/apis/events.k8s.io/v1/namespaces/default/events');
  expect(other.body.items[0].regarding.name).toBe('p');
});

test('the metadata alone, or rows for a terminal, come when asked for (contract 3.19)', async () => {
  const { post, get } = await talk();
  await post('/apis/apps/v1/namespaces/default/deployments', deployment('web'));
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const partial = await get(path, {
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  });
  expect(partial.headers['content-type']).toBe('application/json');
  expect([partial.body.kind, partial.body.items[0].kind, partial.body.items[0].spec]).toEqual([
    'PartialObjectMetadataList',
    'PartialObjectMetadata',
    undefined,
  ]);
  const table = await get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' });
  expect(table.body.columnDefinitions.map((column: any) => column.name)).toEqual([
    'Name',
    'Ready',
    'Up-to-date',
    'Available',
    'Age',
    'Containers',
    'Images',
    'Selector',
  ]);
  expect(table.body.rows[0].cells).toEqual(['web', '0/1', 0, 0, '0s', 'main', 'nginx:1', 'app=web']);
  expect(table.body.rows[0].object).toMatchObject({
    kind: 'PartialObjectMetadata',
    metadata: { name: 'web' },
  });
  expect((await get(path, { accept: 'application/vnd.kubernetes.protobuf' })).status).toBe(406);
});
