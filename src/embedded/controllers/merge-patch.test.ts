import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { difference } from './merge-patch.ts';

/** RFC 7396, as the server applies it. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = apply(result[name], value);
  }
  return result;
}

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
      const patch = difference(before, after);
      expect(patch === undefined ? before : apply(before, patch)).toEqual(after);
      expect(difference(after, after)).toBeUndefined();
    }),
  );
});
