import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, printJson } from './json.ts';

const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
  leaf: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('bigint:1', '"bigint:9007199254740993"', '\\', '123456789012345678'),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    fc.bigInt().filter((n) => !Number.isSafeInteger(Number(n))),
  ),
})).any;

test('parse after print is the identity, integers of any size included', () => {
  // a plain double beyond 2^53 without exponent prints as digits, so it returns as the equal bigint
  fc.assert(
    fc.property(value, (v) => {
      const text = printJson(v);
      expect(printJson(parseJson(text))).toBe(text);
    }),
  );
});

test('an integer beyond 2^53 keeps every digit, also nested and negative', () => {
  const text = '{"a":[9007199254740993,-18446744073709551615],"b":1.5e+300,"c":"9007199254740993"}';
  expect(printJson(parseJson(text))).toBe(text);
  expect(parseJson('9007199254740993')).toBe(9007199254740993n);
  expect(parseJson('9007199254740991')).toBe(9007199254740991);
});

test('text that looks like our marker stays text', () => {
  const text = '{"a":"bigint:12","b":9007199254740993,"c":"bigint:x:1"}';
  expect(printJson(parseJson(text))).toBe(text);
});

test('numbers with fractions or exponents stay doubles', () => {
  expect(parseJson('[12345678901234567.5, 1e25]')).toEqual([Number('12345678901234567.5'), 1e25]);
});

test('broken text is a SyntaxError on both roads', () => {
  expect(() => parseJson('{"a":')).toThrow(SyntaxError);
  expect(() => parseJson('{"a":9007199254740993')).toThrow(SyntaxError);
  expect(() => parseJson('{"a":"9007199254740993')).toThrow(SyntaxError);
});

test('indentation reaches the printer', () => {
  expect(printJson({ a: 9007199254740993n }, 2)).toBe('{\n  "a": 9007199254740993\n}');
});
