/**
 * lua: runs a script that nobody vouches for, and gives back what it returns. The runtime is Lua 5.2 in WebAssembly,
 * dressed as the Lua 5.1 with `goto` that Argo CD's scripts are written in (H-28).
 *
 * Promises
 * (1) A script sees its globals, the words of the language, `table`, `package` and of `os` only `time` and `date`; when
 *     opened also `string`, `math` and `coroutine` (H-25…H-27). No file, no process, no compiled code, no debugger.
 * (2) Every run has a world of its own. Whatever a script changes, libraries and metatables included, is gone with it.
 * (3) Time, instructions, memory and output are bounded, and no `pcall`, handler, coroutine or finalizer outlives a
 *     stop. Patterns that could backtrack for long are matched where they can be stopped.
 * (4) JSON goes in and comes out (H-29): null is nil, an empty table is a list. An integer beyond 2^53 that a script
 *     only passes on comes out as it went in.
 * (5) The same script and the same globals give the same result: time is told by the caller, and `pairs` has an order.
 *
 * How it is stopped: a hook counts instructions and looks at the clock and at the memory in use. Errors it raises pass
 * through our own `pcall`, `xpcall` and `coroutine.resume`. Memory is bounded a second time, for good, where the runtime
 * asks for it. What remains are a few operations in C on very large texts; whoever runs strangers' scripts does so in a
 * process that can be killed (see threads).
 *
 * Refuses: `io`, `debug`, `dofile`, `loadfile`, `collectgarbage`, `setfenv`, `module`, loading anything by name, and
 * running in a process that has other work: importing this door loads nothing, `loadLua` does.
 */
export { type LuaJob, loadLua, luaLimits } from './lua.ts';
