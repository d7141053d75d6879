import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { configMap, type Talk, talk } from '../../../test/talk.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

type Step =
  | { do: 'put'; name: string; color: string; value: string }
  | { do: 'delete'; name: string }
  | { do: 'look' };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'a-b', 'a.b');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    name,
    color: fc.constantFrom('red', 'blue'),
    value: fc.constantFrom('1', '2'),
  }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.constant({ do: 'look' as const }),
);
const history = fc.array(step, { minLength: 1, maxLength: 25 });

async function take(speak: Talk, one: Step): Promise<void> {
  if (one.do === 'delete') await speak.del(`${configMaps}/${one.name}`);
  if (one.do !== 'put') return;
  const object = configMap(one.name, { value: one.value }, { labels: { color: one.color } });
  const { status } = await speak.put(`${configMaps}/${one.name}`, object);
  if (status === 404) await speak.post(configMaps, object);
}

/** Everything a watch has told once the object called `end` has become blue: names and objects. */
async function told(watching: { next(): Promise<any> }): Promise<Map<string, any>> {
  const known = new Map<string, any>();
  for (;;) {
    const { type, object } = await watching.next();
    const { kind: _kind, apiVersion: _version, ...rest } = object;
    if (type === 'DELETED') known.delete(object.metadata.name);
    else known.set(object.metadata.name, rest);
    const isEnd = object.metadata.name === 'end';
    if (isEnd && (type === 'DELETED' || object.metadata.labels.color === 'blue')) return known;
  }
}

test('whoever watches knows what a list would say, selected or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.constantFrom('color', 'color%3Dred', 'color!%3Dred'),
      async (steps, selector) => {
        const speak = await talk();
        const watching = await speak.watch(`${configMaps}?watch=true&labelSelector=${selector}`);
        for (const one of steps) await take(speak, one);
        await speak.post(configMaps, configMap('end', {}, { labels: { color: 'red' } }));
        await speak.put(`${configMaps}/end`, configMap('end', {}, { labels: { color: 'blue' } }));
        const known = await told(watching);
        const { body } = await speak.get(`${configMaps}?labelSelector=${selector}`);
        expect([...known.values()].toSorted(byName)).toEqual(body.items.toSorted(byName));
        await watching.stop();
      },
    ),
    { numRuns: 60 },
  );
});

const byName = (a: any, b: any): number => (a.metadata.name < b.metadata.name ? -1 : 1);

test('the past can be listed exactly, whole or in pages', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 3 }), async (steps, limit) => {
      const speak = await talk();
      const moments: { rv: string; items: any[]; token: string | undefined }[] = [];
      for (const one of steps) {
        await take(speak, one);
        if (one.do !== 'look') continue;
        const { metadata, items } = (await speak.get(configMaps)).body;
        const page = (await speak.get(`${configMaps}?limit=${limit}`)).body;
        moments.push({ rv: metadata.resourceVersion, items, token: page.metadata.continue });
      }
      for (const { rv, items, token } of moments) {
        const exact = await speak.get(`${configMaps}?resourceVersion=${rv}&resourceVersionMatch=Exact`);
        expect(exact.body.items).toEqual(items);
        if (token === undefined) continue;
        const rest = (await speak.get(`${configMaps}?continue=${token}`)).body.items;
        expect(rest).toEqual(items.slice(limit));
      }
    }),
    { numRuns: 40 },
  );
});

test('a restart changes nothing but the history', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const store = memoryStore();
      const before = await talk({ store });
      for (const one of steps) await take(before, one);
      const { body } = await before.get('/api/v1/configmaps');
      await before.cluster.close();
      const after = await talk({ store });
      expect((await after.get('/api/v1/configmaps')).body).toEqual(body);
    }),
    { numRuns: 30 },
  );
});
