import { describe, expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { cpuNow } from '../../../test/cpu-time.ts';
import { type LuaLimits, loadLua, luaLimits } from './lua.ts';

const lua = await loadLua();
const limits: LuaLimits = { ...luaLimits, ms: 150 };
/** For what must not be decided by a busy machine. */
const patient: LuaLimits = { ...luaLimits, ms: 30_000 };
const run = (script: string, given: LuaLimits = limits): unknown =>
  lua.run({ script, globals: {}, openLibs: true, now: 0 }, given);

function stopped(script: string, given?: LuaLimits): { why: string; ms: number } {
  const begun = cpuNow();
  try {
    return expect.unreachable(`it returned ${run(script, given)}`);
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    return { why: `${code}: ${message}`, ms: cpuNow() - begun };
  }
}

const time = 'LimitExceeded: the script took longer than 150 ms';
const memory = 'LimitExceeded: the script needed more than 64 MB of memory';

// H-24 and attack 10: whatever a script tries, it is stopped in time, with the reason
describe('a script that does not end by itself is stopped at its time', () => {
  test.each([
    ['an endless loop', 'while true do end'],
    ['a loop that catches its own stop', 'while true do pcall(function() while true do end end) end'],
    ['a loop of caught errors', 'while true do pcall(error) end'],
    [
      'a handler that never ends',
      'xpcall(function() while true do end end, function() while true do end end)',
    ],
    ['a handler of an ordinary error that never ends', 'xpcall(error, function() while true do end end)'],
    ['a coroutine that never yields', 'coroutine.resume(coroutine.create(function() while true do end end))'],
    ['a wrapped coroutine', 'while true do pcall(coroutine.wrap(function() while true do end end)) end'],
    [
      'two that yield to each other',
      'local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end',
    ],
    ['ever new coroutines', 'while true do coroutine.wrap(function() end)() end'],
    ['goto', '::again:: goto again'],
    ['tail calls', 'local function f() return f() end return f()'],
    ['a comparison that never ends', 'table.sort({ 1, 2, 3 }, function() while true do end end)'],
    [
      'a metamethod that never ends',
      'return setmetatable({}, { __index = function() while true do end end }).x',
    ],
    ['text that never ends', 'tostring(setmetatable({}, { __tostring = function() while true do end end }))'],
    ['a replacement that never ends', '("x"):gsub(".", function() while true do end end)'],
    ['a chunk that never ends', 'load(function() return " " end)'],
    [
      'a chain of a million tables',
      'local t = {} for i = 1, 1e6 do t = setmetatable({}, { __index = t }) end while true do local x = t.x end',
    ],
    ['insertions at the front', 'local t = {} while true do table.insert(t, 1, 1) end'],
    ['sorting for ever', 'local t = {} for i = 1, 1e4 do t[i] = i end while true do table.sort(t) end'],
  ])('%s', (_name, script) => {
    const { why, ms } = stopped(script);
    expect(why).toBe(time);
    expect(ms).toBeLessThan(2_000);
  });
});

describe('patterns that backtrack are stopped at their time', () => {
  test.each([
    ['find', '("a"):rep(50000):find(".-.-.-.-b")'],
    ['match', '("a"):rep(50000):match("(.*)(.*)(.*)b")'],
    ['gmatch', 'for _ in ("a"):rep(50000):gmatch(".-.-.-b") do end'],
    ['gsub', '("a"):rep(50000):gsub(".-.-.-b", "")'],
    ['options', '("a"):rep(40):find(("a?"):rep(40) .. ("a"):rep(40))'],
    ['back references', '("a"):rep(20000):find("(a*)%1b")'],
    ['balance', '("("):rep(50000):gsub("%b()", "")'],
    ['plain text', '("a"):rep(1e6):find(("a"):rep(5e5) .. "b", 1, true)'],
  ])('%s', (_name, script) => {
    const { why, ms } = stopped(script);
    expect(why).toBe(time);
    expect(ms).toBeLessThan(2_000);
  });
});

describe('a script that wants too much memory is stopped', () => {
  test.each([
    ['by tables', 'local t = {} for i = 1, 1e9 do t[i] = {} end'],
    ['by text that doubles', 'local s = "x" while true do s = s .. s end'],
    ['by text that doubles, caught', 'local s = "x" while true do pcall(function() s = s .. s end) end'],
    ['by repetition', 'return ("x"):rep(1e9)'],
    ['by repetition, caught', 'while true do pcall(string.rep, "x", 1e9) end'],
    ['by joining', 'local t, s = {}, ("x"):rep(1e6) for i = 1, 1e5 do t[i] = s end return table.concat(t)'],
    ['by formatting', 'local s = ("x"):rep(1e6) while true do s = string.format("%s%s", s, s) end'],
    ['by substitution', 'return (("x"):rep(1e6):gsub(".", ("y"):rep(1e3)))'],
    ['by closures', 'local t = {} for i = 1, 1e9 do t[i] = function() return i end end'],
    ['by coroutines', 'local t = {} for i = 1, 1e9 do t[i] = coroutine.create(print) end'],
    ['by source', 'return load(("x"):rep(2e6))'],
  ])('%s', (_name, script) => {
    const { why, ms } = stopped(script, patient);
    expect(why).toBe(memory);
    expect(ms).toBeLessThan(10_000);
  });
});

test('garbage is not counted: a script may use much, if it does not keep it', () => {
  const script = 'local n = 0 for i = 1, 200 do n = n + #(("x"):rep(1e6) .. i) end return n > 2e8';
  expect(run(script, patient)).toBe(true);
});

test('recursion without end is a mistake of the script, not of ours', () => {
  const scripts = [
    'local function f() return f() + 1 end return f()',
    'local function f() return (pcall(f)) end f() error("deep", 0)',
    'local function f(x) return (x:gsub(".", f)) end return f("ab")',
    'return setmetatable({}, { __index = function(t, k) return t[k .. "x"] end }).x',
    'local function f() table.sort({ 3, 2, 1 }, f) end f()',
    'local function f() return coroutine.wrap(f)() end return f()',
    'return assert(load("return " .. ("{"):rep(5000)))',
    'return assert(load(("("):rep(5000)))',
  ];
  for (const script of scripts)
    expect(stopped(script, patient).why).toMatch(/^InvalidSpec: the script failed: /);
});

test('a table that holds itself, and one too deep, are refused', () => {
  expect(stopped('local t = {} t.t = t return t').why).toMatch('InvalidSpec');
  expect(stopped('local t = {} for i = 1, 1e4 do t = { t } end return t').why).toMatch('InvalidSpec');
});

test('the result is bounded', () => {
  const script = 'local t, s = {}, ("x"):rep(1000) for i = 1, 10000 do t[i] = s end return t';
  expect(stopped(script, patient).why).toBe('LimitExceeded: the script returned more than 4194304 bytes');
});

test('instructions are bounded as well, whatever the clock says', () => {
  const { why } = stopped('while true do end', { ...patient, steps: 1e6 });
  expect(why).toBe('LimitExceeded: the script ran more than 1000000 instructions');
});

test('finalizers never run: they would run where nothing can stop them', () => {
  const script = `for i = 1, 1e4 do setmetatable({}, { __gc = function() while true do end end }) end
    local meta = { __gc = 7 }
    return { getmetatable(setmetatable({}, meta)) == meta, meta.__gc }`;
  expect(run(script, patient)).toEqual([true, 7]);
});

test('an error with a text of its own making is not asked for it', () => {
  const script = 'error(setmetatable({}, { __tostring = function() while true do end end }))';
  expect(stopped(script).why).toBe('InvalidSpec: the script failed: it raised an error that is a table');
});

test('metamethods do not run while the result is read', () => {
  const script = `return setmetatable({ a = 1 }, {
    __index = function() while true do end end, __pairs = function() while true do end end,
    __len = function() while true do end end })`;
  expect(run(script)).toEqual({ a: 1 });
});

test('an error that looks like a stop is only an error', () => {
  expect(run('local ok, e = pcall(error, "stopped: time", 0) return e')).toBe('stopped: time');
  expect(stopped('error("stopped: memory", 0)').why).toBe('InvalidSpec: the script failed: stopped: memory');
});

test('after a stop the next script runs as if nothing had been', () => {
  stopped('leak = {} while true do leak[#leak + 1] = 1 pcall(error) end');
  expect(run('return { leak == nil, 1 + 1 }')).toEqual([true, 2]);
});
