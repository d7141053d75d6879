import type { Command } from 'commander';
import type { AddCommand, CliDeps } from '../../cli-deps.ts';
import { addNamed } from '../../load-commands.ts';

/** A new command is a file beside this and a line here; its file is loaded when the command line names it, or none. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  list: async () => (await import('./app-read.ts')).addList,
  get: async () => (await import('./app-read.ts')).addGet,
  create: async () => (await import('./app-create.ts')).addCreate,
  set: async () => (await import('./app-change.ts')).addSet,
  unset: async () => (await import('./app-unset.ts')).addUnset,
  edit: async () => (await import('./app-change.ts')).addEdit,
  patch: async () => (await import('./app-change.ts')).addPatch,
  delete: async () => (await import('./app-act.ts')).addDelete,
  sync: async () => (await import('./app-sync.ts')).addSync,
  wait: async () => (await import('./app-act.ts')).addWait,
  refresh: async () => (await import('./app-change.ts')).addRefresh,
  diff: async () => (await import('./app-diff.ts')).addDiff,
  history: async () => (await import('./app-read.ts')).addHistory,
  rollback: async () => (await import('./app-act.ts')).addRollback,
  'terminate-op': async () => (await import('./app-act.ts')).addTerminate,
  'confirm-deletion': async () => (await import('./app-change.ts')).addConfirmDeletion,
  manifests: async () => (await import('./app-manifests.ts')).addManifests,
  resources: async () => (await import('./app-resources.ts')).addResources,
  'get-resource': async () => (await import('./app-resources.ts')).addGetResource,
  'patch-resource': async () => (await import('./app-resources.ts')).addPatchResource,
  'delete-resource': async () => (await import('./app-resources.ts')).addDeleteResource,
  logs: async () => (await import('./app-logs.ts')).addLogs,
  actions: async () => (await import('./app-actions.ts')).addActions,
  'add-source': async () => (await import('./app-change.ts')).addAddSource,
  'remove-source': async () => (await import('./app-change.ts')).addRemoveSource,
};

/** compat server §8.3: the commands for applications. */
export function addApplications(app: Command, deps: CliDeps): Promise<void> {
  return addNamed(app, deps, commands);
}
