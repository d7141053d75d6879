import { expect, test } from 'vitest';
import { configMap, talk, talkTo } from '../../../test/talk.ts';

const maps = '/api/v1/namespaces/default/configmaps';

test('a fork begins like its cluster and goes its own way', async () => {
  const speak = await talk();
  await speak.post(maps, configMap('a', { from: 'parent' }));
  const fork = talkTo(await speak.cluster.fork());
  expect((await fork.get(`${maps}/a`)).body).toEqual((await speak.get(`${maps}/a`)).body);
  await fork.post(maps, configMap('b'));
  await fork.del(`${maps}/a`);
  await speak.post(maps, configMap('c'));
  const names = async ({ get }: typeof speak) =>
    (await get(maps)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(await names(speak)).toEqual(['a', 'c', 'kube-root-ca.crt']);
  expect(await names(fork)).toEqual(['b', 'kube-root-ca.crt']);
});

test('a snapshot stays as it was, and a cluster can begin from it again and again', async () => {
  const speak = await talk();
  await speak.post(maps, configMap('a', { n: '1' }));
  const then = speak.cluster.snapshot();
  await speak.put(`${maps}/a`, configMap('a', { n: '2' }));
  for (const round of [1, 2]) {
    const fork = talkTo(await speak.cluster.fork({ from: then }));
    expect((await fork.get(`${maps}/a`)).body.data).toEqual({ n: '1' });
    const { body } = await fork.put(`${maps}/a`, configMap('a', { n: String(round + 2) }));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(then.rv);
  }
});

test('what a fork makes has ids of its own, the same in every run', async () => {
  const speak = await talk({ seed: 3 });
  const parent = (await speak.post(maps, configMap('a'))).body.metadata.uid;
  const uidIn = async () =>
    (await talkTo(await speak.cluster.fork()).post(maps, configMap('b'))).body.metadata.uid;
  const uid = await uidIn();
  expect(uid).not.toBe(parent);
  expect(await uidIn()).toBe(uid);
  const next = (await speak.post(maps, configMap('b'))).body.metadata.uid;
  expect(next).not.toBe(uid);
});

test('owners, watches and namespaces work in a fork', async () => {
  const speak = await talk();
  const owner = (await speak.post(maps, configMap('owner'))).body.metadata.uid;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner }];
  await speak.post(maps, configMap('owned', {}, { ownerReferences }));
  const fork = talkTo(await speak.cluster.fork());
  await fork.del(`${maps}/owner`);
  await fork.cluster.settled();
  expect((await fork.get(`${maps}/owned`)).status).toBe(404);
  expect((await speak.get(`${maps}/owned`)).status).toBe(200);
  const { resourceVersion } = (await fork.get(maps)).body.metadata;
  const watching = await fork.watch(`${maps}?watch=true&resourceVersion=${resourceVersion}`);
  await fork.post(maps, configMap('seen'));
  expect((await watching.next()).object.metadata.name).toBe('seen');
  await watching.stop();
});
