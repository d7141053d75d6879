import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { configMap, talk } from '../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const mebibyte = 1024 * 1024;

test('a large ConfigMap patched a thousand times keeps no more than the history limit (contract 3.2)', async () => {
  const { cluster, post, patch, watch, get } = await talk({ history: { bytes: 4 * mebibyte } });
  await post(configMaps, configMap('large', { text: 'x'.repeat(10_000) }));
  const start = (await get(`${configMaps}/large`)).body.metadata.resourceVersion;
  let most = 0;
  for (let i = 0; i < 1000; i++) {
    // each patch replaces the large text itself, so no two versions share it
    const data = { text: String(i).padEnd(10_000, 'x') };
    expect((await patch(`${configMaps}/large`, 'merge-patch+json', { data })).status).toBe(200);
    most = Math.max(most, cluster.usage().historyBytes);
  }
  expect(most).toBeGreaterThan(3 * mebibyte);
  expect(most).toBeLessThanOrEqual(4.1 * mebibyte);
  const late = await watch(`${configMaps}?watch=true&resourceVersion=${start}`);
  expect(await late.next()).toMatchObject({
    type: 'ERROR',
    object: {
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(`^too old resource version: ${start} \\(\\d+\\)$`),
    },
  });
});

test('an object that is written very often does not end the watches of other kinds', async () => {
  const { cluster, post, patch, watch, get } = await talk({ history: { bytes: mebibyte } });
  const start = (await get('/api/v1/namespaces/default/secrets')).body.metadata.resourceVersion;
  await post('/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
  });
  await post(configMaps, configMap('large'));
  for (let i = 0; i < 100; i++) {
    const data = { text: String(i).padEnd(100_000, 'x') };
    await patch(`${configMaps}/large`, 'merge-patch+json', { data });
  }
  expect(cluster.usage().historyBytes).toBeLessThanOrEqual(mebibyte);
  const watching = await watch(`/api/v1/namespaces/default/secrets?watch=true&resourceVersion=${start}`);
  expect(await watching.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 's' } } });
  await watching.stop();
});

test('events older than five minutes are dropped, of kinds without writes as well', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const { post, get, watch } = await talk({ clock });
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  for (const name of ['a', 'b', 'c']) await post(configMaps, configMap(name));
  const page = (await get(`${configMaps}?limit=1`)).body.metadata.continue;
  await post(configMaps, configMap('d'));
  const exact = `${configMaps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  expect((await get(exact)).status).toBe(200);
  await clock.advance(5 * 60_000 + 20_000);
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  expect((await get(exact)).body).toMatchObject({
    code: 410,
    reason: 'Expired',
    message: 'The resourceVersion for the provided list is too old.',
  });
  expect((await get(`${configMaps}?continue=${page}`)).body).toMatchObject({
    code: 410,
    reason: 'Expired',
    message: expect.stringContaining(
      'The provided continue parameter is too old to display a consistent list result.',
    ),
    metadata: { continue: expect.any(String) },
  });
  const late = await watch(`${configMaps}?watch=true&resourceVersion=${resourceVersion}`);
  expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
});

test('deleted objects are counted until their events are dropped', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const { cluster, post, del } = await talk({ clock });
  const before = cluster.usage();
  for (let i = 0; i < 20; i++) await post(configMaps, configMap(`c${i}`, { text: 'x'.repeat(10_000) }));
  for (let i = 0; i < 20; i++) await del(`${configMaps}/c${i}`);
  const after = cluster.usage();
  expect(after.objects).toBe(before.objects);
  expect(after.historyBytes - before.historyBytes).toBeGreaterThan(200_000);
  await clock.advance(6 * 60_000);
  await post(configMaps, configMap('last'));
  expect(cluster.usage().historyBytes).toBeLessThan(10_000);
});
