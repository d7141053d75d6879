import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  quantityOf,
  roundUpQuantity,
  scaledValue,
} from './quantity.ts';

const cases = <Row>(file: string): Row[] =>
  JSON.parse(readFileSync(new URL(`./testdata/${file}`, import.meta.url), 'utf8')).cases;

describe('agrees with Kubernetes on', () => {
  test('what is a quantity, how it is printed and how it rounds to milli', () => {
    for (const [text, printed, format, milli] of cases<[string, string?, string?, string?]>(
      'quantity-text.json',
    )) {
      if (printed === undefined) {
        expect(() => parseQuantity(text), text).toThrow(/quantity/);
        continue;
      }
      expect(canonicalQuantity(text), text).toBe(printed);
      expect(parseQuantity(text).format, text).toBe(format);
      expect(canonicalQuantity(roundUpQuantity(text, -3)), text).toBe(milli);
    }
  });
  test('order and sum', () => {
    for (const [a, b, order, sum] of cases<[string, string, number, string]>('quantity-pairs.json')) {
      expect(compareQuantities(a, b), `${a} against ${b}`).toBe(order);
      expect(canonicalQuantity(addQuantities(a, b)), `${a} + ${b}`).toBe(sum);
    }
  });
});

const suffix = fc.constantFrom(
  'n',
  'u',
  'm',
  '',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
);
const number = fc.tuple(fc.maxSafeInteger(), fc.option(fc.nat(99_999), { nil: undefined }));
const quantity = fc
  .tuple(number, suffix)
  .map(([[whole, part], unit]) => whole + (part === undefined ? '' : `.${part}`) + unit);

describe('for any quantity', () => {
  test('the canonical form is canonical, and is the same value', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const printed = canonicalQuantity(text);
        expect(canonicalQuantity(printed)).toBe(printed);
        expect(compareQuantities(text, printed)).toBe(0);
      }),
    );
  });
  test('order is that of the exact values', () => {
    const nanos = (text: string) => scaledValue(text, -9);
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(compareQuantities(a, b)).toBe(nanos(a) < nanos(b) ? -1 : nanos(a) > nanos(b) ? 1 : 0);
        expect(compareQuantities(b, a) + compareQuantities(a, b)).toBe(0);
      }),
    );
  });
  test('adding is exact and commutes by value', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(scaledValue(addQuantities(a, b), -9)).toBe(scaledValue(a, -9) + scaledValue(b, -9));
        expect(compareQuantities(addQuantities(a, b), addQuantities(b, a))).toBe(0);
      }),
    );
  });
});

test('quantities of different families are equal by value (D-27)', () => {
  expect(compareQuantities('1Gi', '1073741824')).toBe(0);
  expect(compareQuantities('0.5', '500m')).toBe(0);
  expect(compareQuantities('1e3', '1k')).toBe(0);
});
test('a manifest may write a bare number', () => {
  expect(canonicalQuantity(0.5)).toBe('500m');
  expect(canonicalQuantity(2)).toBe('2');
  expect(canonicalQuantity(9223372036854775808n)).toBe('9223372036854775808');
});
test('surrounding white space is forgiven, as in the JSON reader of Kubernetes', () => {
  expect(canonicalQuantity(' 1Gi ')).toBe('1Gi');
});
test('a value beyond the last suffix keeps its size, where Kubernetes would print 1', () => {
  expect(canonicalQuantity('1000E')).toBe('1000E');
  expect(canonicalQuantity('1000000E')).toBe('1000000E');
});
test('scaled values round away from zero', () => {
  expect(scaledValue('1.1')).toBe(2n);
  expect(scaledValue('-1.1')).toBe(-2n);
  expect(scaledValue('250m', -3)).toBe(250n);
  expect(scaledValue('1Ki', -3)).toBe(1_024_000n);
});
test('an absurd exponent costs nothing to read or compare, and is refused where it would', () => {
  expect(compareQuantities('1e2000000000', '1')).toBe(1);
  expect(compareQuantities('-1e2000000000', '1')).toBe(-1);
  expect(canonicalQuantity('1e-2000000000')).toBe('1e-9');
  expect(() => addQuantities('1e2000000000', '1')).toThrow(/too far apart/);
  expect(() => scaledValue('1e2000000000')).toThrow(/too large/);
  expect(() => parseQuantity('1e99999999999')).toThrow(/suffix/);
});
test('what is no quantity is undefined to a reader who only asks', () => {
  expect(['', ' ', 'abc', '1 m', '0x10', '1K', '1e', '--1', true, null, {}, []].map(quantityOf)).toEqual(
    Array(12).fill(undefined),
  );
  expect(quantityOf(0.5)).toEqual(parseQuantity('0.5'));
});
test('an error names the text and what would be right', () => {
  expect(() => parseQuantity('1gb')).toThrow("quantity '1gb' must be a number with an optional suffix");
  expect(() => parseQuantity('1K')).toThrow("quantity '1K' has an unknown suffix 'K'; use one of n u m k M");
});
