import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { createScripts } from '#control/scripts';

// Attack 10: scripts that never end or never have enough. They are stopped in time, off the event loop, each alone.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const scripts = createScripts({ size: 2 });
afterAll(() => scripts.close());

const attacks = {
  'an endless loop': 'while true do end',
  'a loop that catches its own stop': 'while true do pcall(function() while true do end end) end',
  'a handler that never ends': 'xpcall(function() while true do end end, function() while true do end end)',
  'a coroutine that never yields': 'coroutine.wrap(function() while true do end end)()',
  'a pattern that backtracks': 'return ("a"):rep(50000):find(".-.-.-.-b")',
  'text that doubles': 'local s = "x" while true do s = s .. s end',
  'tables without end': 'local t = {} for i = 1, 1e9 do t[i] = {} end',
  'a repetition': 'return ("x"):rep(1e9)',
};

const stopped = async (script: string): Promise<string> => {
  const run = scripts.run(ctx, { script, globals: {}, openLibs: true });
  const { code, message } = await run.then(
    () => new FairleadError('Internal', 'it ended'),
    FairleadError.from,
  );
  return `${code}: ${message}`;
};

test('every attack is stopped with its reason, and this process notices nothing of it', async () => {
  await scripts.run(ctx, { script: 'return 1', globals: {}, openLibs: false });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const reasons = await Promise.all(Object.values(attacks).map(stopped));
  delay.disable();
  for (const reason of reasons) {
    expect(reason).toMatch(
      /^LimitExceeded: the script (took longer than 1000 ms|needed more than 64 MB of memory)$/,
    );
  }
  expect(delay.max / 1e6).toBeLessThan(500);
});

test('files, programs, the environment and our own parts are out of reach', async () => {
  const script = `local reached = {}
    for _, path in ipairs({ 'io', 'debug', 'dofile', 'loadfile', 'collectgarbage', 'process', 'js', 'newproxy' }) do
      if _G[path] ~= nil then reached[#reached + 1] = path end
    end
    for _, name in ipairs({ 'execute', 'getenv', 'exit', 'remove', 'rename', 'tmpname', 'setlocale', 'clock' }) do
      if os[name] ~= nil then reached[#reached + 1] = 'os.' .. name end
    end
    for _, name in ipairs({ 'io', 'debug', 'ffi' }) do
      if pcall(require, name) then reached[#reached + 1] = 'require ' .. name end
    end
    if getmetatable('') ~= nil then reached[#reached + 1] = 'the metatable of strings' end
    if package.loadlib or package.searchers or package.loaders then reached[#reached + 1] = 'package' end
    if loadstring('\\27Lua') then reached[#reached + 1] = 'compiled code' end
    return reached`;
  for (const openLibs of [false, true])
    expect(await scripts.run(ctx, { script, globals: {}, openLibs })).toEqual([]);
});
