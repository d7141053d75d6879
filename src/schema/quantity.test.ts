import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalQuantity, compareQuantities, isQuantity, milliQuantity } from './quantity.ts';

/** Text, what Kubernetes prints for it, and what it stores in a resource list; taken from apimachinery 0.36.3. */
const printed: [string, string, string?][] = [
  ['1', '1'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.500', '1.500'],
  ['+2', '+2'],
  ['5.', '5.'],
  ['100k', '100k'],
  ['1000', '1k'],
  ['1000000', '1M'],
  ['1e3', '1e3'],
  ['1000e3', '1e6'],
  ['0.1m', '100u', '1m'],
  ['1n', '1n', '1m'],
  ['0.0000000001', '1n', '1m'],
  ['-1.5', '-1500m'],
  ['-0.1m', '-100u', '-1m'],
  ['0', '0'],
  ['-0', '0'],
  ['0Ki', '0'],
  ['1024', '1024'],
  ['1024Ki', '1Mi'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Ki', '512'],
  ['0.3Gi', '322122547200m'],
  ['100Ei', '9223372036854775807'],
  ['9223372036854775808', '9223372036854775808'],
  ['1000E', '1'],
];

test.each(printed)('%s is printed %s', (text, canonical, milli = canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
  expect(milliQuantity(text)).toBe(milli);
});

test.each(['', ' ', 'abc', '1 m', '0x10', '1K', '1ki', '1e', '1.2.3', '--1'])('%j is no quantity', (text) => {
  expect(isQuantity(text)).toBe(false);
  expect(canonicalQuantity(text)).toBe(text);
  expect(compareQuantities(text, '1')).toBeUndefined();
});

test('a number of a hundred thousand digits is refused rather than computed', () => {
  expect(isQuantity('1e99999')).toBe(false);
  expect(isQuantity('9'.repeat(2000))).toBe(false);
});

test('numbers are quantities, other values are not', () => {
  expect(canonicalQuantity(0.5)).toBe('500m');
  expect(canonicalQuantity(2n ** 60n)).toBe('1152921504606846976');
  expect([true, null, undefined, {}, []].map(isQuantity)).toEqual([false, false, false, false, false]);
});

test('quantities compare by value across families', () => {
  expect(compareQuantities('1Gi', '1073741824')).toBe(0);
  expect(compareQuantities('0.5', '500m')).toBe(0);
  expect(compareQuantities('1e3', '1k')).toBe(0);
  expect(compareQuantities('1G', '1Gi')).toBe(-1);
  expect(compareQuantities('1', '999m')).toBe(1);
});

const quantity = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.integer({ min: 0, max: 1e9 }),
    fc.option(fc.integer({ min: 0, max: 999999 })),
    fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-3'),
  )
  .map(
    ([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`,
  );

test('invariant 3: printing twice is printing once, and keeps the value', () => {
  fc.assert(
    fc.property(quantity, (text) => {
      const once = canonicalQuantity(text);
      expect(compareQuantities(canonicalQuantity(once), once)).toBe(0);
      expect(compareQuantities(once, text)).toBe(0);
    }),
  );
});
