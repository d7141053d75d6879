import { expect, test } from 'vitest';
import { cases } from '../../../test/cases.ts';
import { createThreeWayMergePatch } from './three-way.ts';

test.each(cases<{ patch: unknown }>(new URL('./testdata/three-way/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    expect({ patch: createThreeWayMergePatch(input[0]) }).toEqual(wanted);
  },
);

test('a field that was an object and becomes a scalar cannot be both deleted from and set', () => {
  const sides = { original: { a: { b: 1 } }, modified: { a: { c: 1 } }, current: { a: 5 } };
  expect(createThreeWayMergePatch(sides)).toEqual({ a: { b: null, c: 1 } });
});
