import { expect, test } from 'vitest';
import { configMap, talk } from '../../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('without a version a watch begins with everything there is', async () => {
  const { post, watch } = await talk();
  await post(configMaps, configMap('a'));
  const watching = await watch(`${configMaps}?watch=true`);
  expect([
    (await watching.next()).object.metadata.name,
    (await watching.next()).object.metadata.name,
  ]).toEqual(['a', 'kube-root-ca.crt']);
  await post(configMaps, configMap('b'));
  expect(await watching.next()).toMatchObject({
    type: 'ADDED',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'b' } },
  });
  await watching.stop();
});

test('with a version it tells only what came after, in order, and deletions carry their own version', async () => {
  const { post, put, del, get, watch } = await talk();
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  const { body: made } = await post(configMaps, configMap('a'));
  await put(`${configMaps}/a`, configMap('a', { x: '1' }));
  await del(`${configMaps}/a`);
  const watching = await watch(`${configMaps}?watch=true&resourceVersion=${resourceVersion}`);
  const events = [await watching.next(), await watching.next(), await watching.next()];
  expect(events.map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  expect(Number(events[2].object.metadata.resourceVersion)).toBe(Number(made.metadata.resourceVersion) + 2);
  expect(events[2].object.data).toEqual({ x: '1' });
  await watching.stop();
});

test('a version that is forgotten is told in the stream, as 410 (contract 3.3)', async () => {
  const { post, watch } = await talk({ history: { events: 3 } });
  for (let i = 0; i < 20; i++) await post(configMaps, configMap(`c${i}`));
  const watching = await watch(`${configMaps}?watch=true&resourceVersion=2`);
  expect(await watching.next()).toMatchObject({
    type: 'ERROR',
    object: {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^too old resource version: 2 \(\d+\)$/),
    },
  });
  expect(await watching.next()).toBeUndefined();
});

test('a selector makes objects appear and disappear', async () => {
  const { post, patch, get, watch } = await talk();
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  const watching = await watch(
    `${configMaps}?watch=true&labelSelector=on%3Dyes&resourceVersion=${resourceVersion}`,
  );
  await post(configMaps, configMap('a', { x: '1' }));
  const label = (on: string) =>
    patch(`${configMaps}/a`, 'merge-patch+json', { metadata: { labels: { on } } });
  await label('yes');
  await patch(`${configMaps}/a`, 'merge-patch+json', { data: { x: '2' } });
  const { body: off } = await label('no');
  const events = [await watching.next(), await watching.next(), await watching.next()];
  expect(events.map(({ type, object }) => [type, object.metadata.labels.on])).toEqual([
    ['ADDED', 'yes'],
    ['MODIFIED', 'yes'],
    ['DELETED', 'yes'],
  ]);
  expect(events[2].object.metadata.resourceVersion).toBe(off.metadata.resourceVersion);
  await watching.stop();
});

test('initial events end with a bookmark that says so (contract 2.5)', async () => {
  const { post, watch } = await talk();
  const { body: made } = await post(configMaps, configMap('a', {}, { labels: { mine: '' } }));
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=mine';
  const watching = await watch(`${configMaps}?${query}`);
  expect((await watching.next()).type).toBe('ADDED');
  expect(await watching.next()).toEqual({
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: made.metadata.resourceVersion,
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    },
  });
  await watching.stop();
});

test('a watch ends cleanly, with a last bookmark, when the cluster closes', async () => {
  const { get, watch, cluster } = await talk();
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  const watching = await watch(
    `${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`,
  );
  const last = watching.next();
  await cluster.close();
  expect((await last).type).toBe('BOOKMARK');
  expect(await watching.next()).toBeUndefined();
});

test('a version from the future is waited for in silence', async () => {
  const { post, get, watch } = await talk();
  const now = Number((await get(configMaps)).body.metadata.resourceVersion);
  const watching = await watch(`${configMaps}?watch=true&resourceVersion=${now + 1}`);
  await post(configMaps, configMap('a'));
  await post(configMaps, configMap('b'));
  expect((await watching.next()).object.metadata.name).toBe('b');
  await watching.stop();
});

test('a reader too slow for the history is told to start again', async () => {
  const { post, watch } = await talk({ history: { events: 4 } });
  const watching = await watch(`${configMaps}?watch=true&labelSelector=none`);
  await post(configMaps, configMap('first', {}, { labels: { none: '' } }));
  expect((await watching.next()).type).toBe('ADDED');
  for (let i = 0; i < 30; i++) await post(configMaps, configMap(`c${i}`));
  expect(await watching.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
});

test.each([
  [
    'watch=true&sendInitialEvents=true',
    'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ],
  [
    'watch=true&resourceVersionMatch=Exact',
    'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
  ],
])('%s is refused', async (query, message) => {
  const { get } = await talk();
  const { status, body } = await get(`${configMaps}?${query}`);
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
});

test('a watch of rows sends tables', async () => {
  const { post, watch } = await talk();
  await post(configMaps, configMap('a', { x: '1' }, { labels: { mine: '' } }));
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const watching = await watch(`${configMaps}?watch=true&labelSelector=mine`, headers);
  expect(await watching.next()).toMatchObject({
    type: 'ADDED',
    object: { kind: 'Table', rows: [{ cells: ['a', 1, '0s'] }] },
  });
  await watching.stop();
});

test('a thousand watchers share the text of one event (invariant 5)', async () => {
  const { post, watch, get } = await talk();
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  const watchers = await Promise.all(
    Array.from({ length: 1000 }, () => watch(`${configMaps}?watch=true&resourceVersion=${resourceVersion}`)),
  );
  const seen = watchers.map((watching) => watching.next());
  await post(configMaps, configMap('a'));
  const events = await Promise.all(seen);
  expect(events.every((event) => event.object.metadata.name === 'a')).toBe(true);
  for (const watching of watchers) await watching.stop();
});
