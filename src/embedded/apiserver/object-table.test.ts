import fc from 'fast-check';
import { expect, test } from 'vitest';
import { realClock } from '#base/std';
import { History } from './history.ts';
import { itemKey } from './item.ts';
import { ObjectTable } from './object-table.ts';
import { Stored } from './stored.ts';

const stored = (namespace: string, name: string, rv: number) =>
  new Stored(itemKey(namespace, name), { apiVersion: 'v1', kind: 'A', metadata: { namespace, name } }, rv);

const step = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.integer({ min: 0, max: 60 }).map(String),
  does: fc.constantFrom('set' as const, 'set' as const, 'set' as const, 'delete' as const, 'look' as const),
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Does the same to a collection and to a map, which keeps no order. */
function take(
  collection: ObjectTable,
  known: Map<string, number>,
  { namespace, name, does }: Step,
  rv: number,
): void {
  const key = itemKey(namespace, name);
  if (does === 'look') collection.list();
  if (does === 'set') {
    collection.set(stored(namespace, name, rv));
    known.set(key, rv);
  }
  if (does === 'delete') {
    collection.delete(key);
    known.delete(key);
  }
}

test('however objects come and go, and whoever looks meanwhile, a list is in order and complete', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const collection = new ObjectTable('/as', new History({}, realClock).open(1));
      const known = new Map<string, number>();
      for (const [rv, one] of steps.entries()) take(collection, known, one, rv);
      const all = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
      const told = (items: readonly Stored[]) => items.map(({ key, rv }) => [key, rv]);
      expect(told(collection.list())).toEqual(all);
      expect(told(collection.list('a'))).toEqual(all.filter(([key]) => key.startsWith('a/')));
      expect(told(collection.listAfter('a/3', 'a'))).toEqual(
        all.filter(([key]) => key.startsWith('a/') && key > 'a/3'),
      );
    }),
  );
});
