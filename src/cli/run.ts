import { Command, CommanderError } from 'commander';
import { FairleadError } from '#std';
import { addAdminRbac } from './commands/admin-rbac.ts';
import { addDelete, addRollback, addSync, addTerminate, addWait } from './commands/app-act.ts';
import { addActions } from './commands/app-actions.ts';
import { addCreate } from './commands/app-create.ts';
import type { Open } from './commands/app-flags.ts';
import { addDiff, addGet, addHistory, addList } from './commands/app-read.ts';
import { addLogin } from './commands/login.ts';
import { addRender, type OpenManifests } from './commands/render.ts';
import { ExitError, type Io } from './io.ts';
import { type GlobalFlags, openSession } from './session.ts';

/** A command that starts part of the program itself; `main` brings these. */
export type Role = {
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flags: string;
    readonly description: string;
    readonly fallback?: string;
  }[];
  run(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void>;
};

export type CliOptions = {
  readonly io: Io;
  readonly version: string;
  readonly roles: readonly Role[];
  readonly signal: AbortSignal;
  readonly openManifests: OpenManifests;
};

/** Runs one command line and tells its exit code. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<number> {
  const { io } = options;
  const program = build(options);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof ExitError) {
      if (error.message) io.err(`fairlead: ${error.message}\n`);
      return error.exitCode;
    }
    io.err(`fairlead: ${FairleadError.from(error).message}\n`);
    return 20;
  }
}

function build({ io, version, roles, signal, openManifests }: CliOptions): Command {
  const program = new Command('fairlead')
    .description('A GitOps control plane for Kubernetes. Try it: fairlead up')
    .version(version, '--version', 'print the version')
    .option('--server <host:port>', 'the server to talk to')
    .option('--auth-token <token>', 'a token instead of a login')
    .option('--plaintext', 'the server speaks plain HTTP')
    .option('--insecure', 'accept a certificate that is not trusted')
    .option('--config <path>', 'the file with your logins')
    .exitOverride()
    .showHelpAfterError('(run it with --help to see what it takes)')
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  const open: Open = async () => ({
    io,
    signal,
    session: await openSession(io, program.opts<GlobalFlags>()),
  });

  for (const role of roles) addRole(program, role);
  addLogin(program, io);
  const app = program.command('app').description('work with applications');
  for (const add of [addList, addGet, addCreate, addSync, addWait, addHistory, addRollback]) add(app, open);
  for (const add of [addDiff, addActions, addTerminate, addDelete]) add(app, open);
  addAdminRbac(program, io, signal);
  addRender(program, { io, signal }, openManifests);
  inherit(program);
  return program;
}

function addRole(program: Command, { name, description, options, run }: Role): void {
  const command = program.command(name).description(description);
  for (const { flags, description: text, fallback } of options) command.option(flags, text, fallback);
  command.action((flags: Record<string, string | boolean | undefined>) => run(flags));
}

/** Commander gives a subcommand neither its parent's way to end nor its way to speak. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inherit(child);
  }
}
