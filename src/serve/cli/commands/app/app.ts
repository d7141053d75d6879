import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { addDelete, addRollback, addSync, addTerminate, addWait } from './app-act.ts';
import { addActions } from './app-actions.ts';
import { addCreate } from './app-create.ts';
import { addDiff, addGet, addHistory, addList } from './app-read.ts';

/** compat server §8.3: the commands for applications. */
export function addApplications(app: Command, deps: CliDeps): void {
  for (const add of [addList, addGet, addCreate, addSync, addWait, addHistory, addRollback])
    add(app, deps.open);
  for (const add of [addDiff, addActions, addTerminate, addDelete]) add(app, deps.open);
}
