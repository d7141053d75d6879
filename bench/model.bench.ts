import { canonicalQuantity, compareQuantities } from '#base/model';
import { realClock } from '#base/std';
import { WorkQueue } from '#control/runtime';
import type { BenchCase } from './harness.ts';

const pairs: [string, string][] = [
  ['1000m', '1'],
  ['1.5Gi', '1536Mi'],
  ['250m', '0.25'],
  ['1e3', '1k'],
];
const keys = Array.from({ length: 1000 }, (_, i) => `argocd/app-${i}`);
const { signal } = new AbortController();

export const cases: BenchCase[] = [
  {
    name: 'quantity: compare by value',
    baseline: 'text comparison of canonical forms',
    operations: pairs.length,
    run: () => {
      for (const [a, b] of pairs) compareQuantities(a, b);
    },
    against: () => {
      for (const [a, b] of pairs) canonicalQuantity(a).localeCompare(canonicalQuantity(b));
    },
  },
  {
    name: 'work queue: add, next, done of 1,000 keys',
    baseline: 'a Map and an array, without promises',
    operations: keys.length,
    run: async () => {
      const queue = new WorkQueue({ clock: realClock });
      for (const key of keys) queue.add(key);
      for (let i = 0; i < keys.length; i++) {
        const key = await queue.next({ signal });
        if (key !== undefined) queue.done(key);
      }
    },
    against: () => {
      const seen = new Map<string, boolean>();
      const list: string[] = [];
      for (const key of keys) {
        if (!seen.has(key)) list.push(key);
        seen.set(key, true);
      }
      for (const key of list) seen.delete(key);
    },
  },
];
