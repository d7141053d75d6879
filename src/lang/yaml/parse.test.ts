import { describe, expect, test } from 'vitest';
import { parse, parseAll, readDocuments } from './index.ts';

const values = (text: string): unknown[] => parseAll(text).map((document) => document.value);
const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);

describe('streams', () => {
  test('are cut at lines of dashes, comments behind them allowed', () => {
    expect(values('a: 1\n---\nb: 2\n--- # c\nc: 3')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(values('---\r\na: 1\r\n---\r\nb: 2\r\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(values('--- {a: 1}\n--- |\n x\n')).toEqual([{ a: 1 }, 'x\n']);
  });

  test('give null for an empty document and nothing for comments before the first', () => {
    expect(values('# c\n---\na: 1\n---\n---\nnull\n---\n# c\n')).toEqual([{ a: 1 }, null, null, null]);
    expect(values('')).toEqual([]);
    expect(values('# c\n')).toEqual([]);
  });

  test('tell the line on which each document begins (promise 7)', () => {
    const lines = (text: string) => parseAll(text).map((document) => document.line);
    expect(lines('# c\n\na: 1\n---\n\n# d\nb: 2\n---\n---\n&x c: 3\n')).toEqual([3, 7, 8, 10]);
    expect(lines('{"a": 1}\n\n{"b":\n2} {"c": 3}')).toEqual([1, 3, 4]);
  });

  test('refuse a line of dashes that goes on', () => {
    expect(() => parseAll('a: 1\n---b: 2\n')).toThrow(
      "yaml document 1, line 2, column 1: a line that starts with '---' must separate documents",
    );
  });

  test('do not read what stands between three dots and the next dashes', () => {
    expect(values('a: 1\n...\n]]]\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('hand over the documents above a broken one before they throw', () => {
    const read: unknown[] = [];
    const all = () => {
      for (const { value } of readDocuments('a: 1\n---\nb: 2\n---\nc: [\n')) read.push(value);
    };
    expect(all).toThrow('yaml document 3, line 6, column 1: ');
    expect(read).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('of JSON objects are read without separators, and keep large integers', () => {
    expect(values(' {"a": "}{\\"", "b": [1]}\n{"c": 9007199254740993}{"d":{}}')).toEqual([
      { a: '}{"', b: [1] },
      { c: 9007199254740993n },
      { d: {} },
    ]);
  });

  test('that start like JSON and are not are YAML', () => {
    expect(values('{a: 1}\n---\n{"b": 2}\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(values('{"a": 1}\n---\n{"b": yes}\n')).toEqual([{ a: 1 }, { b: true }]);
    expect(() => parseAll('{"a": 1} x')).toThrow('document 1, line 1, column 10: ');
    expect(() => parseAll('{"a": 1, "a": 2}', { duplicateKeys: 'reject' })).toThrow(
      'key "a" is defined twice',
    );
  });

  test('end the last line for Kubernetes and leave it for Kustomize', () => {
    expect(values('a: |\n  x')).toEqual([{ a: 'x\n' }]);
    expect(parseAll('a: |\n  x', { dialect: 'v3' })[0]?.value).toEqual({ a: 'x' });
  });
});

describe('results', () => {
  test('share nothing, whatever the aliases (promise 1)', () => {
    const data = parse('a: &a {x: {z: 1}}\nb: *a\nc: {<<: *a}\nd: [*a]\n') as Record<
      string,
      { x: { z: number } }
    >;
    if (data.a) data.a.x.z = 2;
    expect(data).toEqual({
      a: { x: { z: 2 } },
      b: { x: { z: 1 } },
      c: { x: { z: 1 } },
      d: [{ x: { z: 1 } }],
    });
  });

  test('hold __proto__ as an own field and leave every prototype alone (promise 3)', () => {
    for (const text of [
      '__proto__: {p: 1}',
      'a: &a {__proto__: {p: 1}}\nb: *a\nc: {<<: *a}',
      '{"__proto__": {"p": 1}}',
    ]) {
      for (const { value } of [...parseAll(text), ...parseAll(text, { dialect: 'v3' })]) {
        expect(JSON.stringify(value)).toContain('"__proto__":{"p":1}');
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      }
    }
    expect(({} as { p?: unknown }).p).toBeUndefined();
  });

  test('hold integers beyond 2^53 exactly', () => {
    expect(parse('[9007199254740991, 9007199254740993, -9223372036854775808, 1.0]')).toEqual([
      9007199254740991,
      9007199254740993n,
      -9223372036854775808n,
      1,
    ]);
  });
});

describe('duplicate keys', () => {
  test('follow the dialect unless the caller says otherwise', () => {
    expect(parse('a: 1\na: 2')).toEqual({ a: 2 });
    expect(parse('a: 1\na: 2', { dialect: 'v3', duplicateKeys: 'lastWins' })).toEqual({ a: 2 });
    expect(() => parse('b:\n  a: 1\n  a: 2', { duplicateKeys: 'reject' })).toThrow(
      'yaml document 1, line 3, column 3: key "a" is defined twice in one mapping',
    );
  });
});

describe('errors', () => {
  test('name the text, the document, the line and the column (promise 5)', () => {
    const broken = 'a: 1\n---\nb:\n  c: [1,\n';
    expect(() => parseAll(broken, { name: 'x/app.yaml' })).toThrow(
      /^x\/app\.yaml: yaml document 2, line 5, column 1: /,
    );
    expect(() => parse('a: .nan', { name: 'v.yaml' })).toThrow(
      'v.yaml: yaml document 1, line 1, column 4: .nan has no JSON form: quote it to make it a string',
    );
  });

  test('are positioned in the original when the text had to be loosened', () => {
    expect(() => parse('a: [\n1,\n2\n]\nb: {\n"x": 1\n')).toThrow(
      'line 7, column 1: unexpected end of the stream',
    );
    expect(() => parse('a: [\n]\nb: *c\n')).toThrow('line 3, column 5: no anchor of this name above');
  });

  test('never quote a value', () => {
    const secrets = [
      'a: "hunter2',
      'a: !!int hunter2',
      'a: !!binary hunter2',
      'a: b\n hunter2: c',
      'a: hunter2: b: c',
      '<<: hunter2',
      'a: *hunter2',
      'a: &hunter2 [*hunter2]',
      'a: !hunter2^"x y',
      'a: !hunter2!x y',
      '%TAG !hunter2! x\n%TAG !hunter2! y\n---\n',
    ];
    for (const text of secrets) {
      try {
        parse(text);
        expect.unreachable(text);
      } catch (error) {
        expect(String(error)).not.toContain('hunter2');
        expect((error as Error).cause).toBeUndefined();
      }
    }
  });
});

describe('bytes', () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

  test('are read as UTF-8, with or without a byte order mark', () => {
    expect(parse(encode('a: é日😀'))).toEqual({ a: 'é日😀' });
    expect(parse(Uint8Array.from([0xef, 0xbb, 0xbf, ...encode('a: 1')]))).toEqual({ a: 1 });
    expect(parse('\ufeff# c\n---\na: 1')).toEqual({ a: 1 });
  });

  test.each([
    ['a byte that never occurs', bytes(0x61, 0x3a, 0xff), 2],
    ['a continuation without a start', bytes(0x61, 0x80), 1],
    ['an overlong form', bytes(0xc0, 0x80), 0],
    ['a surrogate', bytes(0x61, 0xed, 0xa0, 0x80), 2],
    ['a character cut short', bytes(0x61, 0xe6, 0x97), 3],
    ['UTF-16', bytes(0xff, 0xfe, 0x61, 0x00), 0],
  ])('%s is refused with its position', (_name, input, at) => {
    expect(() => parse(input, { name: 'x.yaml' })).toThrow(
      `x.yaml: malformed utf-8 at byte ${at}: save the file as utf-8`,
    );
  });
});
