import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap } from './due-heap.ts';

const item = (name: number) => ({ name, due: 0, order: 0, slot: -1 });

test('items leave by due time, ties in the order they came, rescheduled ones at their earliest', () => {
  const moves = fc.array(fc.tuple(fc.nat(20), fc.nat(30)), { maxLength: 200 });
  fc.assert(
    fc.property(moves, (list) => {
      const schedule = new DueHeap<ReturnType<typeof item>>();
      const items = Array.from({ length: 21 }, (_, name) => item(name));
      const wanted = new Map<number, { due: number; order: number }>();
      list.forEach(([name, due], order) => {
        const scheduled = items[name];
        if (scheduled) schedule.add(scheduled, due);
        const known = wanted.get(name);
        if (!known || due < known.due) wanted.set(name, { due, order });
      });
      const left: number[] = [];
      for (let next = schedule.shift(); next; next = schedule.shift()) left.push(next.name);
      const sorted = [...wanted].sort(([, a], [, b]) => a.due - b.due || a.order - b.order);
      expect(left).toEqual(sorted.map(([name]) => name));
      expect(items.every(({ slot }) => slot === -1)).toBe(true);
    }),
  );
});

test('says when an item became the first', () => {
  const schedule = new DueHeap<ReturnType<typeof item>>();
  const [a, b] = [item(1), item(2)];
  expect(schedule.add(a, 10)).toBe(true);
  expect(schedule.add(b, 10)).toBe(false);
  expect(schedule.add(b, 9)).toBe(true);
  expect(schedule.add(b, 9)).toBe(false);
  expect(schedule.first).toBe(b);
});
