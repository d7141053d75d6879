import { expect, test } from 'vitest';
import { configMap, talk } from '../../../../test/talk.ts';
import { chaos } from './chaos.ts';
import { parseFaults } from './parse.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const broken = 'the connection broke';

async function troubled(yaml: string) {
  const speak = await talk();
  const { rules, seed } = parseFaults(yaml);
  speak.cluster.faults.set(rules, seed);
  return speak;
}

test('without rules nothing happens, and rules can be taken back', async () => {
  const speak = await troubled('rules: [{ effect: { error: 503 } }]');
  expect((await speak.get(maps)).status).toBe(503);
  speak.cluster.faults.set([]);
  expect((await speak.get(maps)).status).toBe(200);
});

test('errors come with the Status and the headers of real ones (5.8)', async () => {
  const speak = await troubled(`
rules:
  - { name: busy, match: { verbs: [list], times: 1 }, effect: { error: 429, retryAfter: 7 } }
  - { match: { verbs: [create], resources: [configmaps], names: ['x'] }, effect: { error: 500 } }
  - { match: { namespaces: [default], times: 2 }, effect: { conflict: true } }`);
  const busy = await speak.get(maps);
  expect([busy.status, busy.headers['retry-after'], busy.body.reason]).toEqual([429, '7', 'TooManyRequests']);
  expect((await speak.get(maps)).status).toBe(200);
  expect(speak.cluster.faults.struck).toMatchObject({ busy: 1 });
  expect((await speak.post(maps, configMap('a'))).status).toBe(201);
  const update = () => speak.put(`${maps}/a`, configMap('a', { b: 'c' }));
  expect((await update()).body).toMatchObject({
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  });
  expect([(await update()).status, (await update()).status]).toEqual([409, 200]);
});

test('a connection breaks before anything is done, or after it is', async () => {
  const speak = await troubled(`
rules:
  - { match: { verbs: [create], names: [''], times: 1 }, effect: { reset: before } }
  - { match: { verbs: [create], nth: 1, times: 1 }, effect: { reset: after } }`);
  speak.cluster.faults.set([{ match: { verbs: ['create'], times: 1 }, effect: { reset: 'before' } }]);
  await expect(speak.post(maps, configMap('a'))).rejects.toThrow(broken);
  expect((await speak.get(`${maps}/a`)).status).toBe(404);
  speak.cluster.faults.set([{ match: { verbs: ['create'], times: 1 }, effect: { reset: 'after' } }]);
  await expect(speak.post(maps, configMap('b'))).rejects.toThrow(broken);
  expect((await speak.get(`${maps}/b`)).status).toBe(200);
});

test('the same seed meets the same requests with the same faults, in whatever order they come', async () => {
  const outcome = async (seed: number, names: readonly string[]) => {
    const speak = await troubled(
      `{ seed: ${seed}, rules: [{ match: { percent: 30 }, effect: { error: 503 } }] }`,
    );
    const codes = new Map<string, number>();
    for (const name of names) codes.set(name, (await speak.get(`${maps}/${name}`)).status);
    return [...codes].sort().join();
  };
  const names = Array.from({ length: 200 }, (_, i) => `c${i}`);
  const first = await outcome(5, names);
  expect(await outcome(5, [...names].reverse())).toBe(first);
  expect(await outcome(6, names)).not.toBe(first);
  const failures = first.split('503').length - 1;
  expect(failures).toBeGreaterThan(40);
  expect(failures).toBeLessThan(80);
});

test('a watch ends, forgets, or bookmarks twice (5.8)', async () => {
  const speak = await troubled('rules: []');
  await speak.post(maps, configMap('a'));
  const read = async (effect: object) => {
    speak.cluster.faults.set([{ match: { verbs: ['watch'] }, effect: effect as never }]);
    const bookmarks = 'allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const watching = await speak.watch(`${maps}?watch=true&${bookmarks}`);
    const seen = [await watching.next(), await watching.next(), await watching.next(), await watching.next()];
    await watching.stop();
    return seen.map((event) => event?.object?.code ?? event?.type);
  };
  expect(await read({ watch: 'drop', events: 1 })).toEqual(['ADDED', undefined, undefined, undefined]);
  expect(await read({ watch: 'gone', events: 1 })).toEqual(['ADDED', 410, undefined, undefined]);
  expect(await read({ watch: 'duplicate-bookmarks' })).toEqual(['ADDED', 'ADDED', 'BOOKMARK', 'BOOKMARK']);
});

test('groups vanish from discovery, and descriptions with them (5.8)', async () => {
  const speak = await troubled(`
rules:
  - { match: { groups: [apps] }, effect: { discovery: missing } }
  - { match: { groups: [batch] }, effect: { discovery: stale } }
  - { effect: { openapi: absent } }`);
  const { body } = await speak.get('/apis');
  const names = body.groups.map(({ name }: { name: string }) => name);
  expect([names.includes('apps'), names.includes('batch'), names.includes('policy')]).toEqual([
    false,
    true,
    true,
  ]);
  expect((await speak.get('/apis/apps/v1')).status).toBe(404);
  expect((await speak.get('/apis/batch/v1')).status).toBe(503);
  expect((await speak.get('/openapi/v3')).status).toBe(404);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await speak.get('/apis', { accept })).body;
  const batch = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'batch');
  expect(batch.versions[0]).toMatchObject({ freshness: 'Stale', resources: [] });
});

test('objects are refused and changed on their way in, as by a policy engine (5.8)', async () => {
  const speak = await troubled(`
rules:
  - { match: { resources: [configmaps], names: [bad-*] }, effect: { deny: not here } }
  - { match: { resources: [configmaps], labels: 'a=b' }, effect: { mutate: [{ op: add, path: /data, value: { x: z } }] } }
  - { match: { images: ['nginx*'] }, effect: { outcome: crash-loop } }`);
  expect((await speak.post(maps, configMap('bad-1'))).body.message).toContain('denied the request: not here');
  const { body } = await speak.post(maps, configMap('good', {}, { labels: { a: 'b' } }));
  expect(body.data).toEqual({ x: 'z' });
  const pod = (image: string, name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image }] },
  });
  const annotations = async (image: string, name: string) =>
    (await speak.post('/api/v1/namespaces/default/pods', pod(image, name))).body.metadata.annotations;
  expect(await annotations('nginx:1', 'p1')).toEqual({ 'simulate.fairlead.io/outcome': 'crash-loop' });
  expect(await annotations('redis', 'p2')).toBeUndefined();
});

test('faults begin and end by the cluster’s clock', async () => {
  const { virtualClock } = await import('#base/std');
  const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const speak = await talk({ clock });
  speak.cluster.faults.set([{ match: { after: '10s', for: '5s' }, effect: { error: 503 } }]);
  expect((await speak.get(maps)).status).toBe(200);
  await clock.advance(10_000);
  expect((await speak.get(maps)).status).toBe(503);
  await clock.advance(5_000);
  expect((await speak.get(maps)).status).toBe(200);
});

test('a file that makes no sense is told by its rule', () => {
  expect(() => parseFaults('rules: [{ effect: { error: 503 } }, { effect: { eror: 1 } }]')).toThrow(
    'faults: effect of rule 2 has no field eror',
  );
  expect(() => parseFaults('rules: [{ effect: { error: 503, reset: after } }]')).toThrow(
    'must be exactly one of',
  );
  expect(() => parseFaults('rules: [{ match: { percent: 200 }, effect: { error: 500 } }]')).toThrow(
    'match of rule 1 has a value for percent that it cannot have',
  );
  expect(() => parseFaults('x: 1')).toThrow('faults: the file has no field x');
});

test('chaos is all of it, and what the server acknowledges in it is still true', async () => {
  const speak = await talk();
  speak.cluster.faults.set(chaos(10), 42);
  const made: string[] = [];
  for (let i = 0; i < 300; i++) {
    const { status } = await speak.post(maps, configMap(`c${i}`)).catch(() => ({ status: 0 }));
    if (status === 201) made.push(`c${i}`);
  }
  const struck = Object.entries(speak.cluster.faults.struck).filter(([, times]) => times > 0);
  expect(struck.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'internal error',
      'unavailable',
      'too many requests',
      'reset before',
      'reset after',
    ]),
  );
  speak.cluster.faults.set([]);
  const { body } = await speak.get(maps);
  const names = new Set(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
  expect(made.filter((name) => !names.has(name))).toEqual([]);
});

test('a Fault object is a rule for as long as it is there, and can always be taken back (5.8)', async () => {
  const speak = await talk();
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'faults.embed.fairlead.dev' },
    spec: {
      group: 'embed.fairlead.dev',
      scope: 'Cluster',
      names: { plural: 'faults', kind: 'Fault' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  await speak.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await speak.cluster.settled();
  const faults = '/apis/embed.fairlead.dev/v1/faults';
  const fault = (spec: object) => ({
    apiVersion: 'embed.fairlead.dev/v1',
    kind: 'Fault',
    metadata: { name: 'down' },
    spec,
  });
  const refused = await speak.post(faults, fault({ effect: { shout: 1 } }));
  expect([refused.status, refused.body.message]).toEqual([
    400,
    expect.stringContaining('effect of spec has no field shout'),
  ]);
  expect((await speak.post(faults, fault({ effect: { error: 503 } }))).status).toBe(201);
  expect((await speak.get(maps)).status).toBe(503);
  expect(speak.cluster.faults.struck).toEqual({ down: 1 });
  expect((await speak.del(`${faults}/down`)).status).toBe(200);
  expect((await speak.get(maps)).status).toBe(200);
});
