import { expect, test } from 'vitest';
import { listed } from './naming.ts';

test('the first few reasons are told, the ends of a long one, and how many there are besides', () => {
  expect(listed(['a', 'b', 'c', 'd', 'e'])).toBe('a; b; c; and 2 more');
  expect(listed(['a', 'b', 'c'])).toBe('a; b; c');
  const told = listed([`Job j: spec.template: ${'{}'.repeat(1_000)}: field is immutable; make it anew`, 'b']);
  expect(told).toMatch(/^Job j: spec.template: .* … .*: field is immutable; make it anew; b$/);
  expect(told.length).toBe(343);
});
