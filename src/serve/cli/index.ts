/**
 * cli: the command line. It turns arguments into API calls, with the command names, flags, output and exit codes of
 * Argo CD (server contract §8).
 *
 * Invariants
 * (1) A client command touches nothing but the server, the login file and the given terminal. `render` touches no
 *     server: it reads the given folder or file and the repositories that the file names. `doctor` on files reads them and
 *     what kustomizations name, and writes only with --fix.
 * (2) A token or password is never printed.
 * (3) Every failure ends with one line that says what failed and what to do, and with a code other than 0.
 *
 * `main` provides the commands that start a part of the program (`up`, …).
 */

export { type CommandDescription, describeCommands } from './describe-commands.ts';
export { ExitError, type Io } from './io.ts';
export type { OpenCore } from './open-core.ts';
export type { OpenManifests } from './open-manifests.ts';
export { type Role, runCli } from './run.ts';
