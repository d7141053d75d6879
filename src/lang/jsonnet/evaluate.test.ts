import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EvaluateOptions, evaluate, type Importer, parseProgram } from './index.ts';

const run = (text: string, options: EvaluateOptions = {}) =>
  evaluate(parseProgram('a.jsonnet', text), options);

/** Files by path; imports are relative to the root. */
const filesOf =
  (files: Record<string, string>): Importer =>
  (_from, path) => {
    const text = files[path];
    if (text === undefined) return undefined;
    return { path, bytes: new TextEncoder().encode(text), program: () => parseProgram(path, text) };
  };

const limited = (text: string, limits: EvaluateOptions['limits'] = {}) =>
  expect(() => run(text, { limits: { steps: 100_000, ...limits } }));

describe('evaluation is bounded (JSN-4, invariant 3)', () => {
  const tooMuch = (what: string) =>
    expect.objectContaining({ code: 'LimitExceeded', message: expect.stringContaining(what) });

  test.each([
    ['a loop', 'local f(n) = f(n + 1) tailstrict; f(0)'],
    ['a range', 'std.range(1, 1e12)'],
    ['an array', 'std.makeArray(1e15, function(x) x)'],
    [
      'an array that doubles',
      'local f(s, n) = if n == 0 then s else f(s + s, n - 1); std.length(f([1], 60))',
    ],
    [
      'an object that doubles',
      'local f(o, n) = if n == 0 then o else f({ a: o, b: o }, n - 1); std.toString(f(1, 40))',
    ],
    ['a comprehension', 'local a = std.range(1, 1000); [1 for x in a for y in a]'],
    ['a repeated array', 'std.repeat([1, 2], 1e9)'],
    ['a digest', 'std.sha512(std.repeat("x", 1e6))'],
    ['a comparison', 'local f(n) = if n == 0 then 1 else local x = f(n - 1); [x, x]; f(40) == f(40)'],
  ])('%s takes steps', (_name, text) => {
    limited(text).toThrow(tooMuch('more than 100000 steps'));
  });

  test.each([
    [
      'a string that doubles',
      'local f(s, n) = if n == 0 then s else f(s + s, n - 1); std.length(f("xxxxxxxx", 60))',
    ],
    ['a repeated string', 'std.repeat("x", 1e12)'],
    ['a width', '"%1000000000d" % 1'],
    ['a width of a percent sign', '"%1000000000%" % []'],
    ['a replacement', 'std.strReplace(std.repeat("x", 10000), "x", std.repeat("y", 10000))'],
    ['a join', 'std.join(std.repeat("x", 1e5), [std.toString(x) for x in std.range(1, 1000)])'],
  ])('%s takes text', (_name, text) => {
    limited(text, { text: 1_000_000, steps: 1_000_000 }).toThrow(
      tooMuch('more than 1000000 characters in a string'),
    );
  });

  test('calls within one another', () => {
    limited('local f(n) = 1 + f(n + 1); f(0)').toThrow(tooMuch('more than 500 calls within one another'));
    expect(run('local f(n) = if n == 0 then 0 else 1 + f(n - 1); f(450)')).toBe(450);
  });

  test('the stack of the machine itself', () => {
    limited(Array.from({ length: 100_000 }, () => '1').join('+')).toThrow(tooMuch('more stack'));
  });

  test('the result', () => {
    const text = 'local f(n) = if n == 0 then "xx" else local x = f(n - 1); [x, x]; f(18)';
    limited(text, { output: 10_000 }).toThrow(tooMuch('more than 10000 characters of output'));
    limited('{ [std.repeat("k", 2000)]: 1 }', { output: 1000 }).toThrow(tooMuch('of output'));
  });

  test.each(['[', '(', '-', '{a:', '!', 'if ', 'function() ', 'local x = '])('%s again and again', (text) => {
    expect(() => parseProgram('a', text.repeat(20_000))).toThrow(
      expect.objectContaining({ code: 'RenderFailed' }),
    );
  });

  test('hundreds of locals one after another are nothing', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `local a${i} = ${i};`).join('\n');
    expect(run(`${names} a0 + a999`)).toBe(999);
  });
});

describe('errors', () => {
  test.each([
    ['{\n  a: nothing,\n}', 'a.jsonnet:2:6: nothing is named nothing here'],
    ['{ a: 1 }.b', 'a.jsonnet:1:9: field "b" does not exist'],
    ['[1][3]', 'a.jsonnet:1:4: index 3 is out of bounds: there are 1'],
    ['"é😀" + {}.x', 'a.jsonnet:1:10: field "x" does not exist'],
    ['local x = x; x', 'a.jsonnet:1:11: a value depends on itself'],
    ['{ a: self.b, b: self.a }', 'a.jsonnet:1:21: field "a" depends on itself'],
    ['{ assert self.a == 2 : "a must be 2", a: 1 }', 'a.jsonnet:1:3: a must be 2'],
    ['function(x) x', 'a.jsonnet: argument x is missing'],
    ['{ a: [function() 1] }', 'a.jsonnet: the result.a[0] is a function, which JSON cannot hold'],
    ['std.parseJson("{secret")', 'a.jsonnet:1:14: the text is not JSON'],
    ['std.parseYaml("a")', 'a.jsonnet:1:14: YAML cannot be read here'],
    ['import "x"', 'a.jsonnet:1:1: nothing is found to import at "x"'],
    ['if true then', 'a.jsonnet:1:13: the file ends where a value is expected'],
    ['"', 'a.jsonnet:1:1: a string is not closed: add "'],
  ])('%s', (text, message) => {
    expect(() => run(text)).toThrow(expect.objectContaining({ code: 'RenderFailed', message }));
  });

  test('name the file that was imported', () => {
    const importer = filesOf({ 'lib.libsonnet': '\n{ f(x):: x.y }' });
    expect(() => run('(import "lib.libsonnet").f({})', { importer })).toThrow(
      'lib.libsonnet:2:11: field "y"',
    );
    expect(() => run('import "bad"', { importer: filesOf({ bad: '{' }) })).toThrow(
      'bad:1:2: expected a field',
    );
  });

  test('a program must come from the parser', () => {
    expect(() => evaluate({ path: 'x', imports: [] })).toThrow(expect.objectContaining({ code: 'Internal' }));
  });
});

describe('what comes from outside', () => {
  test('imports are found by the importer, run once, and known before (invariant 2)', () => {
    const program = parseProgram('a', '[import "b", importstr "c", importbin "c", import "b"]');
    expect(program.imports.map(({ how, path }) => `${how} ${path}`)).toEqual([
      'import b',
      'importstr c',
      'importbin c',
      'import b',
    ]);
    const importer = filesOf({ b: '{ file: std.thisFile }', c: 'é' });
    expect(evaluate(program, { importer })).toEqual([{ file: 'b' }, 'é', [195, 169], { file: 'b' }]);
  });

  test('files may import one another', () => {
    const importer = filesOf({ b: '{ x: 1, y: (import "c").z }', c: '{ z: (import "b").x + 1 }' });
    expect(run('import "b"', { importer })).toEqual({ x: 1, y: 2 });
    expect(() => run('import "d"', { importer: filesOf({ d: 'import "d"' }) })).toThrow('depends on itself');
  });

  test('variables are strings or code, and code runs only when asked for (JSN-2)', () => {
    const extVars = [
      { name: 's', value: '1 + 1' },
      { name: 'c', value: '1 + 1', code: true },
      { name: 'bad', value: ')', code: true },
    ];
    expect(run('[std.extVar("s"), std.extVar("c")]', { extVars })).toEqual(['1 + 1', 2]);
    expect(() => run('std.extVar("bad")', { extVars })).toThrow('<extvar:bad>:1:1: expected a value');
    expect(run('function(a, b=std.thisFile) [a, b]', { tlas: [{ name: 'a', value: 'x' }] })).toEqual([
      'x',
      'a.jsonnet',
    ]);
    expect(() => run('function(a) a', { tlas: [{ name: 'a', value: 'error "no"', code: true }] })).toThrow(
      '<tla:a>:1:1: no',
    );
  });

  test('the same program runs any number of times, each with its own variables', () => {
    const program = parseProgram('a', '{ local v = std.extVar("v"), a: v, b: self.a + 1 }');
    const of = (value: string) => evaluate(program, { extVars: [{ name: 'v', value, code: true }] });
    expect([of('1'), of('2')]).toEqual([
      { a: 1, b: 2 },
      { a: 2, b: 3 },
    ]);
  });
});

describe('numbers and keys', () => {
  const json = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      fc.array(tie('any')),
      fc.dictionary(fc.string({ unit: 'grapheme' }), tie('any')),
    ),
    leaf: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
  })).any;

  test('JSON is a program that gives itself, by every way in and out (JSN-6: names in order)', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const same = JSON.parse(text);
        expect(run(text)).toEqual(same);
        const again = run(
          `local v = ${text}; [std.toString([v])[:0], std.manifestJsonMinified(v), std.parseJson(std.manifestJson(v)) == v]`,
        );
        expect((again as unknown[])[2]).toBe(true);
        expect(JSON.parse(String((again as unknown[])[1]))).toEqual(same);
      }),
      { numRuns: 50 },
    );
  });

  test('a number as text is the same number (%.17g)', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(run(`"" + (${value})`))).toBe(value + 0);
      }),
    );
  });

  test('a name is never more than a name', () => {
    const value = run('{ ["__proto__"]: { polluted: true }, constructor: 1 }');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('whatever the text, the parser ends with a program or a place', () => {
    const word = fc.constantFrom(
      ...'local a = 1 ; { } [ ] ( ) : :: , . + - * if then else for in self super $ function error "x" ||| assert import \n'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        try {
          parseProgram('a', words.join(' '));
        } catch (error) {
          expect(error).toMatchObject({
            code: 'RenderFailed',
            message: expect.stringMatching(/^a:\d+:\d+: /),
          });
        }
      }),
    );
  });
});
