import fc from 'fast-check';
import { expect, test } from 'vitest';
import { abridge } from './abridge.ts';

test('of a long text both ends are kept', () => {
  expect(abridge('Job is invalid: core.PodTemplateSpec{…}: field is immutable', 43)).toBe(
    'Job is invalid: core … : field is immutable',
  );
  expect(abridge('short enough', 12)).toBe('short enough');
});

test('it is never longer than it may be', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 3, max: 50 }), (text, longest) => {
      const told = abridge(text, longest);
      expect(told.length).toBe(Math.min(text.length, longest));
    }),
  );
});
