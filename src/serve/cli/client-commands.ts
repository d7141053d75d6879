import type { Command } from 'commander';
import { addAccount } from './commands/account.ts';
import { addAdminRbac } from './commands/admin-rbac.ts';
import { addDelete, addRollback, addSync, addTerminate, addWait } from './commands/app-act.ts';
import { addActions } from './commands/app-actions.ts';
import { addCreate } from './commands/app-create.ts';
import type { Open } from './commands/app-flags.ts';
import { addDiff, addGet, addHistory, addList } from './commands/app-read.ts';
import { addApplicationSets } from './commands/appset.ts';
import { addLogin } from './commands/login.ts';
import { addRender, type OpenManifests } from './commands/render.ts';
import type { Io } from './io.ts';
import { type GlobalFlags, openSession } from './session.ts';

type Deps = {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly openManifests: OpenManifests;
};

/** The commands that act for the user at the terminal, most of them through a server. */
export function addClientCommands(program: Command, { io, signal, openManifests }: Deps): void {
  const open: Open = async () => ({
    io,
    signal,
    session: await openSession(io, program.opts<GlobalFlags>()),
  });
  addLogin(program, io, signal);
  const app = program.command('app').description('work with applications');
  for (const add of [addList, addGet, addCreate, addSync, addWait, addHistory, addRollback]) add(app, open);
  for (const add of [addDiff, addActions, addTerminate, addDelete]) add(app, open);
  addApplicationSets(program, open);
  addAccount(program, open);
  addAdminRbac(program, io, signal);
  addRender(program, { io, signal }, openManifests);
}
