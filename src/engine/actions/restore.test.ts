import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '#base/std';
import { restore } from './restore.ts';

/** What a trip through Lua does: empty objects become lists, nulls in objects vanish, integers become doubles. */
function throughLua(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(throughLua);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return kept.length === 0 ? [] : Object.fromEntries(kept.map(([key, field]) => [key, throughLua(field)]));
}

const scalar = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.integer(),
  fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n }),
);
const key = fc.string().filter((name) => name !== '__proto__');
const { json } = fc.letrec((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('json'), { maxLength: 4 }),
  object: fc.dictionary(key, fc.oneof(tie('json'), fc.constant(null)), { maxKeys: 4 }),
}));

test('an object that a script returns untouched comes back as it was (H-36)', () => {
  fc.assert(
    fc.property(fc.dictionary(key, json, { minKeys: 1, maxKeys: 4 }), (original) => {
      expect(restore(throughLua(original), original)).toEqual(original);
    }),
  );
});

test('what the script added or changed is kept, also a list in place of a filled object (H-36)', () => {
  expect(restore({ a: [], b: [1], c: { d: [] }, e: 2 }, { a: {}, b: { x: 1 }, c: {}, e: 1n })).toEqual({
    a: {},
    b: [1],
    c: { d: [] },
    e: 2,
  });
});

test('a list that grew is restored as far as it was there (H-36)', () => {
  expect(restore([[], [], []], [{}, []])).toEqual([{}, [], []]);
});
