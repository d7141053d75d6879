import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CelError, CelSyntaxError, compileCel, ListValue, listOf, simpleTypes } from './index.ts';

const variables = new Map([
  ['self', listOf(simpleTypes.int)],
  ['text', simpleTypes.string],
]);
const long = new ListValue(Array.from({ length: 3000 }, (_none, index) => BigInt(index)));

test.each([
  'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))',
  'self.map(a, self.map(b, [a, b])).size() > 0',
  'lists.range(100000000).size() > 0',
  'self.distinct().size() > 0',
  '[text + text + text + text].all(x, (x + x + x + x).matches("(a*)*b"))',
])('a hostile rule ends with the cost error: %s', (rule) => {
  const text = 'a'.repeat(2_000_000);
  const { value, isOverLimit } = compileCel(rule, variables).evaluate({ self: long, text }, 1_000_000);
  expect(isOverLimit).toBe(true);
  expect(value).toEqual(new CelError('operation cancelled: actual cost limit exceeded'));
});

test.each([
  ['deep parentheses', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
  ['deep lists', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['deep ternaries', `${'true ? '.repeat(5000)}1${' : 1'.repeat(5000)}`],
  ['a long text', `"${'a'.repeat(200_000)}"`],
  ['many minuses', `${'-'.repeat(50_000)}x`],
  ['many selections', `self${'.a'.repeat(50_000)}`],
])('%s are refused, not run', (_name, rule) => {
  expect(() => compileCel(rule, variables)).toThrow(CelSyntaxError);
});

const words = [
  'self',
  'text',
  '1',
  '2u',
  '1.5',
  '"a"',
  'null',
  'true',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  '?',
  ':',
  ',',
];
const more = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '&&',
  '||',
  '!',
  '==',
  '<',
  'in',
  'has',
  'all',
  'map',
  'x',
  'size',
  'dyn',
  'optional.of',
];

test('whatever is written compiles, or is refused with an issue; what compiles ends with a value or a fault', () => {
  const expression = fc
    .array(fc.constantFrom(...words, ...more), { maxLength: 14 })
    .map((parts) => parts.join(' '));
  fc.assert(
    fc.property(expression, (source) => {
      try {
        const outcome = compileCel(source, variables).evaluate({ self: long, text: 'abc' }, 100_000);
        expect(outcome.cost).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect(error).toBeInstanceOf(CelSyntaxError);
      }
    }),
    { numRuns: 3000 },
  );
});
