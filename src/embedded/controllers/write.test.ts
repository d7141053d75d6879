import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyMergePatch } from '#kubernetes/patch';
import type { JsonObject } from '#kubernetes/schema';
import { mergePatch } from './write.ts';

const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.string(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('node'), { maxKeys: 4 }),
})).object as fc.Arbitrary<JsonObject>;

test('the patch between two objects turns one into the other, and is nothing when they are equal', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = mergePatch(before, after);
      expect(patch === undefined ? before : applyMergePatch(before, patch)).toEqual(after);
      expect(mergePatch(after, after)).toBeUndefined();
    }),
  );
});

test('a field that is undefined is removed, wherever it stands', () => {
  const before = { a: 1, b: { c: 2, d: 3 } };
  expect(mergePatch(before, { a: undefined, b: { c: 2, d: undefined } })).toEqual({
    a: null,
    b: { d: null },
  });
  expect(mergePatch(undefined, { a: undefined })).toBeUndefined();
});
