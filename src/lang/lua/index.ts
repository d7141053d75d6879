/**
 * lua: runs an untrusted script and returns its result. The runtime is Lua 5.2 in WebAssembly, adapted to the
 * Lua 5.1 with `goto` that Argo CD's scripts are written in (engine H-28).
 *
 * Promises
 * (1) A script has its globals, the basic functions, `table`, `package` and of `os` only `time` and `date`; when
 *     opened also `string`, `math` and `coroutine` (engine H-25…H-27). No file, no process, no compiled code, no debugger.
 * (2) Every run has an environment of its own. Whatever a script changes, libraries and metatables included, is gone
 *     with it.
 * (3) Time, instructions, memory and output are bounded, and no `pcall`, handler, coroutine or finalizer outlives a
 *     stop. Patterns that could backtrack for long are matched where they can be stopped.
 * (4) JSON goes in and comes out (engine H-29): null is nil, an empty table is a list. An integer beyond 2^53 that a script
 *     only passes on comes out as it went in.
 * (5) The same script and the same globals give the same result: the caller supplies the time, and `pairs` has an order.
 *
 * How it is stopped: a hook counts instructions and checks the clock and the memory in use. Errors it raises
 * pass through our own `pcall`, `xpcall` and `coroutine.resume`. Memory is bounded a second time, with a hard
 * limit, where the runtime allocates it. What remains are a few operations in C on very large texts; a caller
 * with untrusted scripts runs them in a process that can be killed (see threads).
 *
 * Not available: `io`, `debug`, `dofile`, `loadfile`, `collectgarbage`, `setfenv`, `module`, loading anything
 * by name, and running in a process that has other work: importing this door loads nothing, `loadLua` does.
 */
export { type LuaJob, loadLua, luaLimits } from './lua.ts';
