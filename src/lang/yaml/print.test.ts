import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { type Dialect, parse, parseAll, print, printAll } from './index.ts';

const dialects: readonly Dialect[] = ['v2', 'v3'];

// pieces that mean something to some reader of YAML, and some that nobody can see
const pieces = [
  ...'aZ079-+._: #"\'\\[]{},&*!|>%@`?=~yn',
  ...[
    '\n',
    '\n\n',
    '\t',
    '\r',
    '  ',
    '- ',
    ': ',
    ' #',
    '---',
    '...',
    '<<',
    '\\n',
    'null',
    'true',
    'on',
    'No',
  ],
  ...[
    'e',
    'x',
    'o',
    'b',
    '0x',
    '0o17',
    '1:30',
    '1_000',
    '1e3',
    '.5',
    '.inf',
    '.nan',
    '2001-01-01',
    'T00:00:00Z',
  ],
  ...[
    '\0',
    '\x07',
    '\x1b',
    '\x7f',
    '\x85',
    '\xa0',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffe',
    'é',
    '日',
    '\u{1f600}',
  ],
  ...['\ud800', '\udc00'],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const key = fc.oneof(text, fc.constant('__proto__'), fc.string({ minLength: 120, maxLength: 140 }));
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => double + 0),
);
const bigint = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
);
const value = fc.letrec((again) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    bigint,
    fc.boolean(),
    fc.constant(null),
    fc.array(again('any'), { maxLength: 4 }),
    fc.dictionary(key, again('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;

describe('what is printed is read back (promise 6)', () => {
  const holdsFor = (check: (data: unknown) => void): void =>
    fc.assert(fc.property(value, (data) => check(data)));

  test.each(dialects)('as the same value, by %s', (dialect) => {
    holdsFor((data) => {
      expect(parse(print(data), { dialect })).toStrictEqual(data);
    });
  });

  test.each(dialects)('with sorted keys, by %s', (dialect) => {
    holdsFor((data) => {
      expect(parse(print(data, { keys: 'sorted' }), { dialect })).toStrictEqual(data);
    });
  });

  test.each(dialects)('document by document, by %s', (dialect) => {
    holdsFor((data) => {
      const read = parseAll(printAll([data, null, data]), { dialect }).map((document) => document.value);
      expect(read).toStrictEqual([data, null, data]);
    });
  });

  test('and printed alike again', () => {
    holdsFor((data) => {
      expect(print(parse(print(data)))).toBe(print(data));
    });
  });
});

test('strings that some reader takes for another type are quoted', () => {
  const words = 'y yes on Off true null ~ 1 0777 0o17 0b1 0x1F 1_000 1e3 .5 .inf .nan 1:30 2001-01-01'.split(
    ' ',
  );
  for (const word of [...words, '2001-12-14 21:59:43', '']) expect(print(word)).toBe(`"${word}"\n`);
  for (const word of ['=', '1.2.3.4', '10Gi', 'yellow', 'a:b', '-x', 'x]', '$(X)', '/bin/sh']) {
    expect(print(word)).toBe(`${word}\n`);
  }
});

test('syntax is quoted once, what cannot be seen is escaped', () => {
  expect(print(['@x', '- a', 'a: b', ' x', 'x #y', "it's", "'tis", '---'])).toBe(
    "- '@x'\n- '- a'\n- 'a: b'\n- ' x'\n- 'x #y'\n- it's\n- '''tis'\n- '---'\n",
  );
  expect(print(['a\tb', '\u2028', '\0', '\ud800', '😀'])).toBe(
    '- "a\\tb"\n- "\\L"\n- "\\0"\n- "\\uD800"\n- 😀\n',
  );
});

test('block style, lists at the column of their key, empty collections in brackets', () => {
  const data = { a: { b: [1, [2, 3], { c: null, d: [] }], e: {} }, f: [[[]]] };
  expect(print(data)).toBe(
    'a:\n  b:\n  - 1\n  - - 2\n    - 3\n  - c: null\n    d: []\n  e: {}\nf:\n- - []\n',
  );
});

test('several lines are a literal block, unless it would lose something', () => {
  expect(print({ a: 'x\ny\n', b: 'x\n\n', c: 'x\n y', d: ['x\n\ty'] })).toBe(
    'a: |\n  x\n  y\nb: |+\n  x\n\nc: |-\n  x\n   y\nd:\n- |-\n  x\n  \ty\n',
  );
  expect(print({ a: '  x\ny' })).toBe('a: |2-\n    x\n  y\n');
  expect(print({ a: 'x \ny', b: '\tx\ny', c: 'x\r\ny' })).toBe('a: "x \\ny"\nb: "\\tx\\ny"\nc: "x\\r\\ny"\n');
  expect(print('  x\ny')).toBe('"  x\\ny"\n');
});

test('long strings are not folded, long keys get a line of their own', () => {
  const long = 'word '.repeat(50).trim();
  expect(print({ a: long })).toBe(`a: ${long}\n`);
  expect(print({ [long]: { b: 1 } })).toBe(`? ${long}\n: b: 1\n`);
});

test('keys keep their order, or take that of kubectl', () => {
  const data = { b: 1, a10: 2, a2: 3, B: 4, 'a-b': 5, _: 6 };
  expect(Object.keys(parse(print(data)) as object)).toEqual(Object.keys(data));
  expect(Object.keys(parse(print(data, { keys: 'sorted' })) as object)).toEqual([
    '_',
    'B',
    'a-b',
    'a2',
    'a10',
    'b',
  ]);
});

test('numbers keep their kind', () => {
  expect(print([1, -0, 1.5, 1e21, 2 ** 53, 9007199254740993n, -(2n ** 63n)])).toBe(
    '- 1\n- 0\n- 1.5\n- 1e+21\n- 9.007199254740992e+15\n- 9007199254740993\n- -9223372036854775808\n',
  );
});

test('undefined fields are left out, undefined items are null', () => {
  expect(print({ a: undefined, b: { c: undefined }, d: [undefined] })).toBe('b: {}\nd:\n- null\n');
});

test('the key << is quoted, because it would merge', () => {
  expect(print({ '<<': { a: 1 } })).toBe('"<<":\n  a: 1\n');
});

test('what JSON cannot hold is refused', () => {
  expect(() => print({ a: Number.NaN })).toThrow('NaN has no JSON form');
  expect(() => print([Number.POSITIVE_INFINITY])).toThrow('no JSON form');
  expect(() => print({ a: new Date(0) })).toThrow('only plain data can be printed, not [object Date]');
  expect(() => print([() => 1])).toThrow('only plain data');
});

test('a value that contains itself ends in LimitExceeded', () => {
  const loop: Record<string, unknown> = {};
  loop.self = [loop];
  expect(() => print(loop)).toThrow(expect.objectContaining({ code: 'LimitExceeded' }));
});

test('an empty stream prints as nothing, several documents with dashes between', () => {
  expect(printAll([])).toBe('');
  expect(printAll([{ a: 1 }, null, 'x'])).toBe('a: 1\n---\nnull\n---\nx\n');
});

test('strings that are almost something are printed in a moment', () => {
  const size = 200_000;
  const near = [
    '9'.repeat(size),
    '1.'.concat('9'.repeat(size)),
    `1${':1'.repeat(size)}`,
    '\n'.repeat(size),
    ' \n'.repeat(size),
  ];
  const start = cpuNow();
  for (const part of near)
    expect(parse(print(`${part}x`), { limits: { nodes: 5_000_000 } })).toBe(`${part}x`);
  expect(cpuNow() - start).toBeLessThan(5000);
});
