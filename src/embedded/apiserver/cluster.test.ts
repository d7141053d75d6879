import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { memoryStore, type Store } from '#platform/store';
import { configMap, talk } from '../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

test('a cluster goes on where its store left off: versions, objects, history', async () => {
  const store = memoryStore();
  const first = await talk({ store });
  const { body: made } = await first.post(configMaps, configMap('a', { x: '1' }));
  await first.cluster.close();
  const second = await talk({ store });
  expect((await second.get(`${configMaps}/a`)).body).toEqual(made);
  const { body: next } = await second.post(configMaps, configMap('b'));
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
});

test('a fork of the store is a cluster of its own', async () => {
  const store = memoryStore();
  const one = await talk({ store });
  await one.post(configMaps, configMap('a'));
  await one.cluster.settled();
  const other = await talk({ store: store.fork() });
  await other.del(`${configMaps}/a`);
  expect([(await one.get(`${configMaps}/a`)).status, (await other.get(`${configMaps}/a`)).status]).toEqual([
    200, 404,
  ]);
});

test('the same seed gives the same names, uids and addresses', async () => {
  const live = async () => {
    const { post } = await talk({ seed: 42 });
    const made = await post(configMaps, { ...configMap(''), metadata: { generateName: 'x-' } });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    };
    const { body } = await post('/api/v1/namespaces/default/services', service);
    return [made.body.metadata.name, made.body.metadata.uid, body.spec.clusterIP];
  };
  expect(await live()).toEqual(await live());
});

/** A store whose writes wait until they are let through. */
function slowStore() {
  const store = memoryStore();
  let gate = Promise.resolve();
  let open = () => {};
  const slow: Store = {
    ...store,
    async write(changes) {
      await gate;
      await store.write(changes);
    },
  };
  const hold = () => {
    gate = new Promise((resolve) => {
      open = resolve;
    });
  };
  return { store: slow, hold, release: () => open() };
}

test('nothing is answered and no watcher woken before the store has it (invariant 2)', async () => {
  const { store, hold, release } = slowStore();
  const { post, get, watch } = await talk({ store });
  const { resourceVersion } = (await get(configMaps)).body.metadata;
  const watching = await watch(`${configMaps}?watch=true&resourceVersion=${resourceVersion}`);
  const order: string[] = [];
  hold();
  const written = post(configMaps, configMap('a')).then(() => order.push('written'));
  const read = get(`${configMaps}/a`).then(({ status }) => order.push(`read ${status}`));
  const seen = watching.next().then(({ type }) => order.push(`seen ${type}`));
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  expect(order).toEqual([]);
  release();
  await Promise.all([written, read, seen]);
  expect(order.toSorted()).toEqual(['read 200', 'seen ADDED', 'written']);
  await watching.stop();
});

test('dates come from the clock it was given', async () => {
  const clock = virtualClock({ start: new Date('2031-05-06T07:08:09Z') });
  const { post } = await talk({ clock });
  const { body } = await post(configMaps, configMap('a'));
  expect(body.metadata.creationTimestamp).toBe('2031-05-06T07:08:09Z');
});

test('every cluster has its namespaces, node, storage class and API service', async () => {
  const { get } = await talk();
  const names = async (path: string) => (await get(path)).body.items.map((item: any) => item.metadata.name);
  expect(await names('/api/v1/namespaces')).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ]);
  expect(await names('/api/v1/nodes')).toEqual(['embedded-0']);
  expect(await names('/apis/storage.k8s.io/v1/storageclasses')).toEqual(['standard']);
  expect((await get('/api/v1/namespaces/default/services/kubernetes')).body.spec.clusterIP).toBe('10.96.0.1');
});

test('everybody may do everything, and reviews say so', async () => {
  const { post } = await talk();
  const review = (group: string, kind: string, spec: object = {}) =>
    post(`/apis/${group}/v1/${kind.toLowerCase()}s`, { apiVersion: `${group}/v1`, kind, spec });
  const resourceAttributes = { verb: 'delete', resource: 'nodes' };
  const { body } = await review('authorization.k8s.io', 'SelfSubjectAccessReview', { resourceAttributes });
  expect(body.status).toEqual({ allowed: true });
  const other = await post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    { 'impersonate-user': 'alice', 'impersonate-group': 'devs' },
  );
  expect(other.body.status.userInfo).toEqual({ username: 'alice', groups: ['devs', 'system:authenticated'] });
});
