import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { compileExpr, ExprFunction, ExprTime } from './index.ts';

type Fixture = { environment: Record<string, unknown>; cases: [string, unknown, 'fails'?][] };
const fixture = (name: string): Fixture =>
  JSON.parse(readFileSync(new URL(`testdata/${name}.json`, import.meta.url), 'utf8'));

/** What JSON cannot hold is text in the fixtures. */
function plain(value: unknown): unknown {
  const names: Record<string, string> = { NaN: 'NaN', Infinity: '+Inf', '-Infinity': '-Inf' };
  if (typeof value === 'number') return names[String(value)] ?? value + 0;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function outcome(text: string, environment: Record<string, unknown>): [unknown, 'fails'?] {
  try {
    return [plain(compileExpr(text).run(environment))];
  } catch {
    return [null, 'fails'];
  }
}

const language = fixture('language');
test.each(language.cases)('%s', (text, ...expected) => {
  expect(outcome(text, language.environment)).toEqual(expected.map(plain));
});

test('random expressions have the results that the original recorded', () => {
  const { environment, cases } = fixture('random');
  const wrong = cases.filter(
    ([text, ...expected]) => !isDeepStrictEqual(outcome(text, environment), expected.map(plain)),
  );
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(1000);
});

test.each([
  ['1 +', 'InvalidSpec', 'expression: unexpected the end at column 4'],
  ["app.x\n  == 'open", 'InvalidSpec', 'expression: a string is not closed at line 2, column 6'],
  ['len()', 'InvalidSpec', 'expression: len takes 1 arguments, not 0 at column 1'],
  [`${'('.repeat(300)}1${')'.repeat(300)}`, 'LimitExceeded', 'expression nests deeper than 200'],
  ['1'.repeat(30_000), 'LimitExceeded', 'expression of 30000 characters is longer than 20000'],
])('%j cannot be compiled', (text, code, message) => {
  expect(() => compileExpr(text)).toThrow(expect.objectContaining({ code, message }));
});

test.each([
  ['app.status.phase', { app: {} }, 'RenderFailed', 'expression: there is no phase in nil'],
  ['n > 1', { n: 'x' }, 'RenderFailed', 'expression: > is not defined for string and int'],
  ['map(1..100000000, #)', {}, 'LimitExceeded', 'expression needs more than 4000000 bytes'],
  [
    'count(1..3000, count(1..3000, true) > 0)',
    {},
    'LimitExceeded',
    'expression needs more than 1000000 steps',
  ],
  ["repeat('x', 1000000) + repeat('y', 1000000) + repeat('z', 1000000)", {}, 'LimitExceeded', undefined],
])('%s fails with its reason', (text, environment, code, message) => {
  const run = () => compileExpr(text).run(environment);
  expect(run).toThrow(expect.objectContaining(message ? { code, message } : { code }));
});

test('compat server §6.2: with nil-safe members a path through nil is nil', () => {
  const text = "app.status.operationState.phase in ['Succeeded']";
  expect(compileExpr(text).run({ app: {} }, { isNilSafe: true })).toBe(false);
});

test('numbers of data that has no ints are floats', () => {
  expect(compileExpr('type(result[0])').run({ result: [1] }, { numbers: 'floats' })).toBe('float');
  expect(compileExpr('type(result[0])').run({ result: [1] })).toBe('int');
});

test('the caller gives functions and the clock', () => {
  const environment = {
    time: {
      Now: new ExprFunction(
        () => new ExprTime({ unix: 1_700_000_000_000_000_000n, zone: 0, zoneName: 'UTC' }),
      ),
    },
  };
  expect(compileExpr("time.Now().Sub(date('2023-11-14')).Hours() > 22").run(environment)).toBe(true);
  expect(compileExpr('now().Unix()').run({}, { now: () => 1_700_000_000_123 })).toBe(1_700_000_000);
  expect(() => compileExpr('now()').run({})).toThrow('now is not known here');
});

test('a key is an own key', () => {
  const environment = { o: JSON.parse('{"__proto__": {"x": 1}}') };
  expect(compileExpr('[o.__proto__.x, o.constructor, $env.toString]').run(environment)).toEqual([
    1,
    null,
    null,
  ]);
});
