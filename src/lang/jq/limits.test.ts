import { expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { compileJq } from './index.ts';

// attack 10: a jq expression that loops or grows without end stops by itself; nothing here may take long.
const endless: [expression: string, input?: unknown][] = [
  ['def f: f; f'],
  ['def f: 1, f; last(f)'],
  ['def f: 1 + f; f'],
  ['def f(g): f(g | g); f(.)'],
  ['def r: [r]; r'],
  ['[range(1e9)]'],
  ['last(range(1e12))'],
  ['[repeat(1)]'],
  ['first(repeat(empty))'],
  ['until(false; .)'],
  ['until(false, false; .)'],
  ['[recurse(.)]'],
  ['[while(true; . + 1)]', 1],
  ['reduce range(1e7) as $i (0; . + 1)'],
  ['[foreach range(1e7) as $i (0; . + 1)]'],
  ['"a" * 1e8'],
  ['reduce range(60) as $i ("a"; . + .)'],
  ['reduce range(60) as $i ([1]; . + .)'],
  ['reduce range(60) as $i ([]; [., .])'],
  ['reduce range(60) as $i ([]; [., .]) | tojson'],
  ['reduce range(60) as $i ([]; [., .]) | . == .'],
  ['reduce range(60) as $i ([]; [., .]) | [paths]'],
  ['reduce range(60) as $i ([]; [., .]) | flatten'],
  ['reduce range(60) as $i ({}; {a: ., b: .}) | . * .'],
  ['reduce range(60) as $i ({}; {a: ., b: .}) | walk(.)'],
  ['reduce range(40) as $i (10; . * .)'],
  ['reduce range(100000) as $i (null; [.])'],
  ['reduce range(100000) as $i ({}; .[$i | tostring] = $i)'],
  ['.[100000000] = 1'],
  ['.[1e8:] = [range(1e7)]'],
  [`[${'(1, 2) | '.repeat(40)}1]`],
  [`[${'(1, 2) + '.repeat(40)}1]`],
  ['[.[] as $a | .[] as $b | .[] as $c | 1]', Array.from({ length: 1_000 }, (_unused, index) => index)],
  ['[combinations]', Array.from({ length: 30 }, () => [1, 2])],
  ['[combinations(1e9)]', [1]],
  ['"9" * 100000 | tonumber'],
  ['"x" * 1000000 | [match(""; "g")]'],
  ['"x" * 200000 | gsub("x"; "y", "z")'],
  ['"x" * 1000000 | [range(1e6) as $i | contains("y")]'],
  ['"x" * 100000 | indices("x" * 50000)'],
];

/** A fifth of the default, so that forty endless expressions take a second and not five. */
const limits = { steps: 100_000, bytes: 3_000_000 };

test.each(endless)('attack 10: %s ends in LimitExceeded', (expression, input = null) => {
  expect(() => {
    for (const _ of compileJq(expression).run(input, limits));
  }).toThrow(expect.objectContaining({ code: 'LimitExceeded' }));
});

test('attack 10: without limits from the caller an endless expression ends soon all the same', () => {
  const start = cpuNow();
  for (const expression of ['[repeat(1)]', 'reduce range(60) as $i ([]; [., .])', 'def f: 1, f; last(f)']) {
    expect(() => [...compileJq(expression).run(null)]).toThrow(
      expect.objectContaining({ code: 'LimitExceeded' }),
    );
  }
  expect(cpuNow() - start).toBeLessThan(5_000);
});

test('the caller may allow less', () => {
  const run = (steps: number) => [...compileJq('[range(100)] | add').run(null, { steps })];
  expect(() => run(50)).toThrow(expect.objectContaining({ code: 'LimitExceeded' }));
  expect(run(10_000)).toEqual([4950]);
  expect(() => [...compileJq('[range(100)]').run(null, { bytes: 100 })]).toThrow(
    expect.objectContaining({ code: 'LimitExceeded' }),
  );
});

test('an object of a megabyte is well within the limits', () => {
  const items = Array.from({ length: 5_000 }, (_unused, index) => ({
    name: `item-${index}`,
    image: 'registry/image:tag',
    labels: { app: 'web', tier: 'front' },
  }));
  const [result] = [...compileJq('del(.. | .image?)').run({ items })] as [{ items: object[] }];
  expect(result.items[4_999]).toEqual({ name: 'item-4999', labels: { app: 'web', tier: 'front' } });
});

test.each([
  ['a long text', '.'.padEnd(20_001)],
  ['brackets in brackets', `${'('.repeat(2_000)}1${')'.repeat(2_000)}`],
  ['strings in strings', `"${'\\("'.repeat(1_000)}`],
  ['a long chain of steps', `.${'[]?'.repeat(5_000)}`],
  ['a long chain of fields', '.a'.repeat(6_000)],
  ['a long chain of operators', Array(6_000).fill('1').join('//')],
  ['patterns in patterns', `. as ${'['.repeat(3_000)}`],
])('%s is refused before it can exhaust the stack', (_name, expression) => {
  expect(() => compileJq(expression)).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(?:LimitExceeded|InvalidSpec)$/) }),
  );
});

test.each([
  ['steps', `.a${'[]?'.repeat(900)}`],
  ['fields', '.a'.repeat(2_000)],
  ['sums', Array(2_000).fill('1').join('+')],
  ['results', Array(2_000).fill('1').join(',')],
  ['alternatives', Array(400).fill('null').join('//')],
])('a chain of %s within the limit is compiled and runs', (_name, expression) => {
  expect(() => [...compileJq(expression).run(null)]).not.toThrow();
});

test('a chain beyond the limit is refused for its length', () => {
  expect(() => compileJq('.a'.repeat(2_100))).toThrow('chained more than 2000 times');
});
