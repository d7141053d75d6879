import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { type LuaJob, loadLua } from './lua.ts';

const lua = await loadLua();
const run = (script: string, job: Partial<LuaJob> = {}): unknown =>
  lua.run({ script, globals: {}, openLibs: false, now: Date.UTC(2026, 0, 2, 3, 4, 5), ...job });
const failure = (script: string, job: Partial<LuaJob> = {}): FairleadError => {
  try {
    return expect.unreachable(`it returned ${run(script, job)}`);
  } catch (error) {
    return FairleadError.from(error);
  }
};

test('H-29: objects become tables, lists count from one, null is nothing', () => {
  const obj = { a: { b: 'x' }, list: ['p', 'q'], none: null, yes: true, n: 1.5 };
  const script = `return { obj.a.b, obj.list[1], #obj.list, obj.none == nil, obj.yes, obj.n }`;
  expect(run(script, { globals: { obj } })).toEqual(['x', 'p', 2, true, true, 1.5]);
});

test('H-29: a null in a list closes up, as in the peer', () => {
  expect(run('return obj', { globals: { obj: ['a', null, 'b'] } })).toEqual(['a', 'b']);
});

test('H-29: an empty table is an empty list, wherever it stands', () => {
  expect(run('return {}')).toEqual([]);
  expect(run('return { a = {}, b = { c = {} } }')).toEqual({ a: [], b: { c: [] } });
  expect(run('return obj', { globals: { obj: { labels: {} } } })).toEqual({ labels: [] });
});

test('nothing and nil are undefined; of several values the last counts, as in the peer', () => {
  expect(run('')).toBeUndefined();
  expect(run('return nil')).toBeUndefined();
  expect(run('return 1, { x = 2 }')).toEqual({ x: 2 });
});

const json = fc.jsonValue({ maxDepth: 6 }).map((value) => withoutNothing(value));

/** What Lua cannot tell apart: null from absent, an empty object from an empty list, minus zero from zero. */
function withoutNothing(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNothing);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return entries.length === 0 ? [] : Object.fromEntries(entries.map(([k, v]) => [k, withoutNothing(v)]));
}

test('H-29: any JSON passes through a script unchanged', () => {
  fc.assert(
    fc.property(json, (value) => {
      const obj = { value };
      expect(run('return obj', { globals: { obj } })).toEqual(withoutNothing(obj));
    }),
  );
});

test('text of every kind passes: quotes, newlines, zero bytes, controls, all of Unicode', () => {
  const obj = { 'a"\\\n\r\0\t': '\u0001\u001f\u007f ü 漢 😀 ]] -- \\n' };
  expect(run('return obj', { globals: { obj } })).toEqual(obj);
});

test('objects may be nested deeply and be large', () => {
  let deep: unknown = 'bottom';
  for (let i = 0; i < 180; i += 1) deep = i % 2 ? { next: deep } : [deep, ...Array(60).fill(i)];
  const obj = { deep, text: 'x'.repeat(3_000_000) };
  expect(run('return { #obj.text, obj.deep.next ~= nil }', { globals: { obj } })).toEqual([3_000_000, true]);
  expect(run('return obj.deep', { globals: { obj } })).toEqual(deep);
});

test('what a script is given is bounded', () => {
  const { code, message } = failure('return 1', { globals: { obj: 'x'.repeat(9_000_000) } });
  expect([code, message]).toEqual(['LimitExceeded', 'what a script is given may have 8388608 bytes at most']);
  expect(run('return 1')).toBe(1);
});

test('an integer beyond 2^53 that is only passed on stays exact; arithmetic is that of doubles', () => {
  const big = 9_007_199_254_740_993n;
  const obj = { spec: { seed: big, list: [-big, 5] } };
  expect(run('obj.moved = obj.spec.seed return obj', { globals: { obj } })).toEqual({ ...obj, moved: big });
  expect(run('return obj.spec.seed / 2', { globals: { obj } })).toBe(4_503_599_627_370_496);
});

test('what is no data cannot be returned', () => {
  const messages = [
    'return print',
    'return { 1, x = 2 }',
    'return { [2] = 1 }',
    'return { [true] = 1 }',
    'return 1/0',
  ]
    .map((script) => failure(script))
    .map(({ code, message }) => `${code}: ${message}`);
  expect(messages).toEqual([
    'InvalidSpec: the script failed: it returns a function, which is no data',
    'InvalidSpec: the script failed: it returns a table with both names and numbers for keys',
    'InvalidSpec: the script failed: it returns a list with holes in it',
    'InvalidSpec: the script failed: it returns a table with a key that is a boolean',
    'InvalidSpec: the script failed: it returns a number that JSON does not have: +Inf',
  ]);
});

test('mistakes are told with their line', () => {
  const messages = ['return ((', '\n\nreturn obj.status.phase', "\nerror('no quorum')", 'error({ a = 1 })']
    .map((script) => failure(script, { globals: { obj: {} } }))
    .map(({ code, message }) => `${code}: ${message}`);
  expect(messages).toEqual([
    'InvalidSpec: the script failed: line 1: unexpected symbol near <eof>',
    "InvalidSpec: the script failed: line 3: attempt to index field 'status' (a nil value)",
    'InvalidSpec: the script failed: line 2: no quorum',
    'InvalidSpec: the script failed: it raised an error that is a table',
  ]);
});

test('a mistake in the use of a library is told without the names of our parts', () => {
  expect(failure('table.concat(nil)').message).toBe(
    "the script failed: line 1: bad argument #1 to 'concat' (table expected, got nil)",
  );
  expect(failure('local x = ("a"):rep({}) .. nil', { openLibs: true }).message).toMatch(
    /^the script failed: /,
  );
  expect(failure('string.find(nil, "x")', { openLibs: true }).message).toBe(
    "the script failed: line 1: bad argument #1 to 'find' (string expected, got nil)",
  );
  expect(failure(`error(("x"):rep(5000), 0)`, { openLibs: true }).message.length).toBeLessThan(600);
});

test('H-25: closed, a script has base, table, package and a little of os, and no methods on text', () => {
  const names = 'return { string, math, coroutine, io, debug, bit32, utf8 }';
  expect(run(names)).toEqual([]);
  expect(failure("return ('x'):upper()").message).toMatch('attempt to index');
  expect(run('return { type(table.insert), type(package.loaded), type(os.time), type(os.date) }')).toEqual([
    'function',
    'table',
    'function',
    'function',
  ]);
});

test('H-25, H-27: opened, it has string, math and coroutine besides, and still no files and no processes', () => {
  const words = 'return { type(string.find), type(math.floor), type(coroutine.wrap), type(("x").upper) }';
  expect(run(words, { openLibs: true })).toEqual(['function', 'function', 'function', 'function']);
  const refused = `local found = {}
    for _, name in ipairs({ 'io', 'debug', 'dofile', 'loadfile', 'collectgarbage', 'module', 'setfenv' }) do
      if _G[name] ~= nil then found[#found + 1] = name end
    end
    for name in pairs(os) do found[#found + 1] = 'os.' .. name end
    for name in pairs(package) do found[#found + 1] = 'package.' .. name end
    if string.dump then found[#found + 1] = 'string.dump' end
    return found`;
  expect(run(refused, { openLibs: true })).toEqual([
    'os.date',
    'os.time',
    'package.cpath',
    'package.loaded',
    'package.path',
    'package.preload',
  ]);
});

test('H-26, X-30: os is there by name and by require, and has time and date alone', () => {
  const script = `local count = 0
    for _ in pairs(os) do count = count + 1 end
    return { os == require('os'), count, os.time(), os.date('!%Y-%m-%dT%H:%M:%SZ'), require('os').date('%H:%M', 60) }`;
  const seconds = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
  expect(run(script)).toEqual([true, 2, seconds, '2026-01-02T03:04:05Z', '00:01']);
  expect(failure("require('io')").message).toMatch('module io not found');
  const action = 'obj.spec.restartAt = os.date("!%Y-%m-%dT%H:%M:%SZ") return obj';
  const obj = { spec: { replicas: 2 } };
  expect(run(action, { globals: { obj } })).toEqual({
    spec: { replicas: 2, restartAt: '2026-01-02T03:04:05Z' },
  });
});

test('os.date and os.time agree with the calendar on any day', () => {
  const script = `local t = os.date('!*t', at) t.isdst = nil
    return { os.date('!%Y-%m-%dT%H:%M:%S', at), os.time(t), t.wday, t.yday }`;
  const most = Date.UTC(2400, 0, 1) / 1000;
  fc.assert(
    fc.property(fc.integer({ min: -most, max: most }), (at) => {
      const date = new Date(at * 1000);
      const yday = 1 + Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
      const [text, ...rest] = run(script, { globals: { at } }) as [string, ...number[]];
      expect(text).toBe(date.toISOString().slice(0, 19));
      expect(rest).toEqual([at, date.getUTCDay() + 1, yday]);
    }),
  );
});

test('H-27: compiled code is never loaded, and loaded text sees only what its script sees', () => {
  expect(run('return { loadstring("\\27Lua") == nil, load("\\27LuaR") == nil }')).toEqual([true, true]);
  expect(run('x = 1 return loadstring("return { x, io, debug, string }")()')).toEqual([1]);
  expect(run('local n = 0 return load(function() n = n + 1 return ({ "return ", "7" })[n] end)()')).toBe(7);
});

test('what one script changes no other sees: globals, libraries, metatables, random numbers', () => {
  const vandal = `
    leak = 1
    table.insert = nil
    string.upper = function() return 'pwned' end
    getmetatable('').__index = nil`;
  const quiet = 'leak = 1 table.insert = nil string.upper = function() return "pwned" end math.randomseed(7)';
  expect(failure(vandal, { openLibs: true }).message).toMatch('attempt to index a nil value');
  run(quiet, { openLibs: true });
  const script = 'return { leak == nil, type(table.insert), ("a"):upper(), math.random(1000) }';
  const before = run(script, { openLibs: true });
  run(quiet, { openLibs: true });
  expect(before).toEqual([true, 'function', 'A', expect.any(Number)]);
  expect(run(script, { openLibs: true })).toEqual(before);
  run('setmetatable(_G, { __index = function() return "ghost" end })');
  expect(run('return nothing == nil')).toBe(true);
});

test('the same script runs again in a new world, compiled once', () => {
  const script = 'count = (count or 0) + 1 return count + n';
  expect([1, 2, 3].map((n) => run(script, { globals: { n } }))).toEqual([2, 3, 4]);
  for (let i = 0; i < 300; i += 1) expect(run(`return ${i}`)).toBe(i);
  expect(run(script, { globals: { n: 1 } })).toBe(2);
});

test('the order of pairs is the same on every machine', () => {
  const obj = Object.fromEntries('zebra apple mango kiwi b a c 10 9'.split(' ').map((key) => [key, 1]));
  const script = `local t = {} for k in pairs(obj) do t[#t + 1] = k end
    for k in pairs({ 'x', 'y', n = 1, [true] = 2 }) do t[#t + 1] = tostring(k) end return table.concat(t, ' ')`;
  expect(run(script, { globals: { obj } })).toBe('10 9 a apple b c kiwi mango zebra 1 2 n true');
});

test('printing goes nowhere', () => {
  expect(run("print('secret') return 1")).toBe(1);
});
