import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueQueue } from './due-queue.ts';

test('keys come due in order of their latest appointment', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    at: fc.option(fc.nat(50), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const dueQueue = new DueQueue();
      const model = new Map<string, number>();
      for (const { key, at } of steps) {
        if (at === undefined) {
          dueQueue.drop(key);
          model.delete(key);
        } else {
          dueQueue.set(key, at);
          model.set(key, at);
        }
      }
      expect(dueQueue.first?.at).toBe(model.size > 0 ? Math.min(...model.values()) : undefined);
      const times: number[] = [];
      for (let key = dueQueue.due(100); key !== undefined; key = dueQueue.due(100)) {
        times.push(model.get(key) ?? -1);
        model.delete(key);
      }
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(model.size).toBe(0);
    }),
  );
});
