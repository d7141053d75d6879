import { describe, expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { parse, parseAll } from './index.ts';

/** Ends in LimitExceeded, and soon. The bound is generous: an attack takes minutes. */
function refuse(run: () => unknown, message: string): void {
  const start = cpuNow();
  expect(run).toThrow(
    expect.objectContaining({ code: 'LimitExceeded', message: expect.stringContaining(message) }),
  );
  expect(cpuNow() - start).toBeLessThan(3000);
}
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('hostile text ends in LimitExceeded (promise 4)', () => {
  test('a billion laughs', () => {
    const list = (index: number): string =>
      Array(9)
        .fill(index === 0 ? 'x' : `*a${index - 1}`)
        .join(', ');
    refuse(
      () => parse(lines(30, (index) => `a${index}: &a${index} [${list(index)}]`)),
      'more than 1000000 nodes',
    );
  });

  test.each(['v2', 'v3'] as const)('a merge that doubles at every line (%s)', (dialect) => {
    const text = lines(
      60,
      (i) => `m${i}: &m${i} {${i === 0 ? '' : `<<: [*m${i - 1}, *m${i - 1}], `}k${i}: 1}`,
    );
    refuse(() => parse(text, { dialect }), 'more than 1000000 nodes');
  });

  test('aliases that nest deeper than any text does', () => {
    refuse(
      () => parse(lines(2000, (i) => `- &a${i} [${i === 0 ? 'x' : `*a${i - 1}`}]`)),
      'nested deeper than 500',
    );
  });

  test('too many aliases', () => {
    refuse(() => parse('a: &a 1\nb: [*a, *a, *a]', { limits: { aliases: 2 } }), 'more than 2 aliases');
  });

  test.each(['[', '{a: ', '- ', '? ', '- - ? '])('a hundred thousand times %j', (open) => {
    refuse(() => parse(open.repeat(100_000)), 'nested deeper than 500');
    refuse(() => parse(open.repeat(100_000), { limits: { depth: 1_000_000 } }), 'nested deeper than 1000000');
  });

  test('JSON as deep', () => {
    refuse(() => parseAll('{"a":'.repeat(100_000)), 'nested deeper than 500');
  });

  test('a scalar of a hundred megabytes, as text and as bytes', () => {
    refuse(() => parse(`a: "${'x'.repeat(100_000_000)}"`), 'yaml is larger than 10000000 bytes');
    refuse(() => parse(new Uint8Array(100_000_000)), 'yaml is larger than 10000000 bytes');
  });

  test('ten megabytes of nodes', () => {
    refuse(() => parse(`{${'a,'.repeat(4_900_000)}}`), 'more than 1000000 places where a node may start');
    refuse(() => parse('- \n'.repeat(3_300_000)), 'more than 1000000 places where a node may start');
    refuse(() => parseAll(`{"a":[${'1,'.repeat(4_900_000)}1]}`), 'more than 1000000 nodes');
    refuse(() => parse(`[${'a,'.repeat(20)}]`, { limits: { nodes: 20 } }), 'more than 20 ');
  });

  test('a stream of nothing but separators', () => {
    refuse(() => parseAll('---\n'.repeat(100), { limits: { documents: 50 } }), 'more than 50 documents');
  });
});

describe('text that is only large is read', () => {
  const size = 3_000_000;

  test.each([
    ['quoted', `"${'x'.repeat(size)}"`],
    ['plain', 'x'.repeat(size)],
    ['an endless number', '9'.repeat(size)],
    ['an endless hexadecimal', `0x${'f'.repeat(size)}`],
    ['an endless fraction', `1.${'1'.repeat(size)}`],
    ['underscores', `1${'_'.repeat(size)}`],
    ['what is almost a number', `${'9'.repeat(size)}x`],
    ['what is almost a fraction', `1.${'9'.repeat(size)}x`],
    ['what is almost a time', `1${':1'.repeat(300_000)}x`],
  ])('%s', (_name, scalar) => {
    const start = cpuNow();
    expect(parse(`a: ${scalar}`)).toHaveProperty('a');
    expect(cpuNow() - start).toBeLessThan(3000);
  });

  test('flow lines that must be loosened, a hundred thousand of them', () => {
    const start = cpuNow();
    expect(parse(`a: [\n${'x,\n'.repeat(100_000)}]\n`)).toHaveProperty('a.length', 100_000);
    expect(cpuNow() - start).toBeLessThan(3000);
  });
});

describe('broken text is reported', () => {
  test.each([
    ['an unterminated quote', `a: "${'x\n'.repeat(100_000)}`],
    ['an unterminated list', `a: [\n${'x,\n'.repeat(100_000)}`],
    ['a NUL', 'a: b\0c'],
    ['a control character', 'a: b\x01c'],
    ['a merge loop', 'a: &a {b: {<<: *a}}'],
    ['tags upon tags', '!a '.repeat(100_000)],
  ])('%s', (_name, text) => {
    const start = cpuNow();
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'RenderFailed' }));
    expect(cpuNow() - start).toBeLessThan(3000);
  });
});
