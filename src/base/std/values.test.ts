import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { delayOf } from './backoff.ts';
import { Budget } from './budget.ts';
import { clone } from './clone.ts';
import { equal } from './equal.ts';
import { FairleadError } from './errors.ts';
import { sha256 } from './hash.ts';
import { Lru } from './lru.ts';

const json = fc.jsonValue({ maxDepth: 4 });

test('equal agrees with the platform on JSON values', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(equal(a, b)).toBe(
        isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))),
      );
      expect(equal(a, JSON.parse(JSON.stringify(a)))).toBe(true);
    }),
  );
});

test.each([
  ['a bigint equals the number of the same value', 9007199254740992n, 9007199254740992, true],
  ['but not its neighbour', 9007199254740993n, 9007199254740992, false],
  ['an undefined field is a missing field', { a: undefined }, {}, true],
  ['null is not missing', { a: null }, {}, false],
  ['a list is not an object', [], {}, false],
  ['an inherited name is not a field', { a: {} }, { a: { toString: 1 } }, false],
  ['a missing field is not an inherited one', { toString: 1 }, {}, false],
])('%s', (_name, a, b, wanted) => {
  expect(equal(a, b)).toBe(wanted);
  expect(equal(b, a)).toBe(wanted);
});

test('a clone is equal, shares nothing, and pollutes no prototype', () => {
  fc.assert(
    fc.property(json, (v) => {
      const copy = clone(v);
      expect(equal(copy, v)).toBe(true);
      if (typeof v === 'object' && v !== null) expect(copy).not.toBe(v);
    }),
  );
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"big":1}');
  expect(Object.keys(clone(hostile))).toEqual(['__proto__', 'big']);
  expect(({} as any).polluted).toBeUndefined();
  expect(clone(9007199254740993n)).toBe(9007199254740993n);
});

test('sha256 agrees with the platform, half a surrogate pair included', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }),
  );
  expect(sha256('\ud800x')).toBe(createHash('sha256').update('\ud800x').digest('hex'));
});

test('a budget runs out with the name of the work and the limit', () => {
  const budget = new Budget('health script of apps/Deployment', { steps: 3, bytes: 10 });
  budget.step(2);
  expect(budget.stepsLeft).toBe(1);
  expect(() => budget.step(2)).toThrow('health script of apps/Deployment needs more than 3 steps');
  budget.take(10);
  expect(budget.bytesLeft).toBe(0);
  expect(() => budget.take(1)).toThrow(FairleadError);
});

test('the least recently used leaves first, and weight is bounded', () => {
  const gone: string[] = [];
  const lru = new Lru<string>({ capacity: 4, weigh: (v) => v.length, onEvict: (key) => gone.push(key) });
  lru.set('a', 'xx');
  lru.set('b', 'xx');
  expect(lru.get('a')).toBe('xx');
  lru.set('c', 'x');
  expect(gone).toEqual(['b']);
  lru.set('huge', 'xxxxx');
  expect([lru.get('huge'), lru.size, lru.weight]).toEqual([undefined, 2, 3]);
  lru.set('a', 'x');
  expect(lru.weight).toBe(2);
  lru.clear();
  expect([lru.size, lru.weight, lru.delete('a')]).toEqual([0, 0, false]);
});

test('backoff grows, is capped, and jitter only shortens', () => {
  const backoff = { initialMs: 100, factor: 2, maxMs: 1000, jitter: 0.5 };
  expect([0, 1, 2, 9].map((n) => delayOf(backoff, n, 0))).toEqual([100, 200, 400, 1000]);
  expect(delayOf(backoff, 0, 0.5)).toBe(75);
  expect(delayOf({ initialMs: 100, factor: 2, maxMs: 1000 }, 0, 0.9)).toBe(100);
});

test('errors keep their code, and only some wait for a change', () => {
  const original = new FairleadError('NotFound', 'no file a.yaml');
  expect(FairleadError.from(original)).toBe(original);
  expect(original.terminal).toBe(true);
  expect(FairleadError.from(new Error('boom'))).toMatchObject({
    code: 'Internal',
    message: 'boom',
    terminal: false,
  });
  expect(FairleadError.from('boom').message).toBe('boom');
});
