import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { addDelete, addRollback, addTerminate, addWait } from './app-act.ts';
import { addActions } from './app-actions.ts';
import {
  addAddSource,
  addConfirmDeletion,
  addEdit,
  addPatch,
  addRefresh,
  addRemoveSource,
  addSet,
} from './app-change.ts';
import { addCreate } from './app-create.ts';
import { addDiff } from './app-diff.ts';
import { addLogs } from './app-logs.ts';
import { addManifests } from './app-manifests.ts';
import { addGet, addHistory, addList } from './app-read.ts';
import { addDeleteResource, addGetResource, addPatchResource, addResources } from './app-resources.ts';
import { addSync } from './app-sync.ts';
import { addUnset } from './app-unset.ts';

const commands = [
  ...[addList, addGet, addCreate, addSet, addUnset, addEdit, addPatch, addDelete],
  ...[addSync, addWait, addRefresh, addDiff, addHistory, addRollback, addTerminate, addConfirmDeletion],
  ...[addManifests, addResources, addGetResource, addPatchResource, addDeleteResource, addLogs],
  ...[addActions, addAddSource, addRemoveSource],
];

/** compat server §8.3: the commands for applications. */
export function addApplications(app: Command, deps: CliDeps): void {
  for (const add of commands) add(app, deps);
}
