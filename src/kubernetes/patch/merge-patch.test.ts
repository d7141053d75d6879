import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../test/cases.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

test.each(cases<unknown>(new URL('./testdata/merge-patch/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const [document, { patch }] = input;
    const before = structuredClone(document);
    expect(applyMergePatch(document, patch)).toEqual(wanted);
    expect(document).toEqual(before);
  },
);

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(leaf, { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('tree'), { noNullPrototype: true }),
}));
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tree, { noNullPrototype: true });

test('invariant 2: applying the difference gives the other side', () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      expect(applyMergePatch(from, createMergePatch(from, to))).toEqual(to);
    }),
  );
});

test('equal objects differ by an empty patch', () => {
  fc.assert(
    fc.property(object, (same) => {
      expect(createMergePatch(same, structuredClone(same))).toEqual({});
    }),
  );
});
