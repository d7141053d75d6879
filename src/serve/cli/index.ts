/**
 * cli: the command line. Words in, API calls out, with the command names, flags, output and exit codes that users of
 * Argo CD know (server contract §8).
 *
 * Invariants
 * (1) A client command touches nothing but the server, the login file and the terminal it is given. `render` touches no
 *     server: it reads the folder or file it is given and the repositories that the file names.
 * (2) A token or password is never printed.
 * (3) Every failure ends with one line that says what went wrong and what to do, and with a code other than 0.
 *
 * Commands that start a part of the program (`up`, …) are handed in by `main`.
 */
export type { OpenManifests } from './commands/render.ts';
export type { Io } from './io.ts';
export { type Role, runCli } from './run.ts';
