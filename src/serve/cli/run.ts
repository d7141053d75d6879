import { Command, CommanderError } from 'commander';
import { FairleadError } from '#base/std';
import { addGroups, namesGroup } from './groups.ts';
import { plainBooleans } from './input/plain-booleans.ts';
import { ExitError, type Io, usageExitCode } from './io.ts';
import type { OpenCore } from './open-core.ts';
import type { OpenManifests } from './open-manifests.ts';
import { addPeerOnly } from './peer-only.ts';
import { addGlobalFlags } from './session/global-flags.ts';

/** A command that starts part of the program itself; `main` provides these. */
export type Role = {
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flags: string;
    readonly description: string;
    readonly fallback?: string;
  }[];
  /** Printed by `--help` after the flags. */
  readonly help?: string;
  run(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void>;
};

export type CliOptions = {
  readonly io: Io;
  readonly version: string;
  readonly roles: readonly Role[];
  readonly signal: AbortSignal;
  readonly openManifests: OpenManifests;
  /** Left out: there is no --core. */
  readonly openCore?: OpenCore;
  /** The bcrypt hash of a password; left out: there is none. */
  readonly hashPassword?: (password: string) => Promise<string>;
};

/** Runs one command line and returns its exit code. */
export async function runCli(given: readonly string[], options: CliOptions): Promise<number> {
  const { io } = options;
  const args = withoutHelpCommand(given);
  const program = programOf(options);
  const closers: (() => Promise<void>)[] = [];
  try {
    // a command for users needs no flags of a role; most of the program is for connecting to a server, and a role starts
    // without loading it
    if (!namesGroup(args)) addRoles(program, options.roles);
    if (!options.roles.some(({ name }) => name === args[0]))
      await addGroups(program, args, { ...options, closers });
    addPeerOnly(program, io);
    inherit(program);
    await program.parseAsync(plainBooleans(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    return failed(io, error);
  } finally {
    for (const close of closers) await close();
  }
}

/** `help app sync` is `app sync --help`. */
const withoutHelpCommand = ([first, ...words]: readonly string[]): readonly string[] =>
  first === 'help' && words.length > 0
    ? [...words, '--help']
    : [...(first === undefined ? [] : [first]), ...words];

/** Prints why a command failed, unless commander has; returns its exit code. */
function failed(io: Io, error: unknown): number {
  // dev server §8.1: a wrong command line is an error, not a difference that app diff has found
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
  if (error instanceof ExitError) {
    if (error.message) io.err(`fairlead: ${error.message}\n`);
    return error.exitCode;
  }
  const { code, message } = FairleadError.from(error);
  io.err(`fairlead: ${message}${code === 'Auth' && isOfSession.test(message) ? signIn : ''}\n`);
  return 20;
}

/** The server has refused the token, not a password. */
const isOfSession = /session|token/;
const signIn =
  ': run fairlead login or fairlead relogin, or correct --auth-token, FAIRLEAD_AUTH_TOKEN or ARGOCD_AUTH_TOKEN';

/** The program without commands. */
export function programOf({ io, version }: CliOptions): Command {
  const program = new Command('fairlead')
    .description('A GitOps control plane for Kubernetes. Try it: fairlead up')
    .version(version, '--version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(run it with --help to see what it takes)')
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  return addGlobalFlags(program);
}

export function addRoles(program: Command, roles: readonly Role[]): void {
  for (const role of roles) addRole(program, role);
}

function addRole(program: Command, { name, description, options, help, run }: Role): void {
  const command = program.command(name).description(description);
  for (const { flags, description: text, fallback } of options) command.option(flags, text, fallback);
  if (help) command.addHelpText('after', help);
  // a flag of every command, such as --insecure, may be one of the role's too
  command.action((_own: unknown, given: Command) => run(given.optsWithGlobals()));
}

/** Commander passes on to a subcommand neither its parent's exit handler nor its output. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inherit(child);
  }
}
