import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { addAdminCluster } from './admin-cluster.ts';
import { addDashboard } from './admin-dashboard.ts';
import { addExport } from './admin-export.ts';
import { addAppSpec, addClusterSpec, addProjectSpec, addRepoSpec } from './admin-generate.ts';
import { addImport } from './admin-import.ts';
import { addAdminNotifications } from './admin-notifications.ts';
import { addOverrides } from './admin-overrides.ts';
import { addInitialPassword } from './admin-password.ts';
import { addAdminProjects } from './admin-projects.ts';
import { addAdminRbac } from './admin-rbac.ts';
import { addReconcileResults } from './admin-reconcile.ts';
import { addValidate } from './admin-settings.ts';

type Add = (command: Command, deps: CliDeps) => void;

/** compat server §8.6: the commands that need no server. A new one is a file beside this and a line here. */
const groups: readonly (readonly [name: string, about: string, commands: readonly Add[]])[] = [
  ['settings', 'check the settings', [addValidate, addAdminRbac, addOverrides]],
  ['app', 'manifests of applications, and what the controller finds', [addAppSpec, addReconcileResults]],
  ['proj', 'manifests and roles of projects', [addProjectSpec, addAdminProjects]],
  ['repo', 'manifests of repositories', [addRepoSpec]],
  ['cluster', 'registered clusters', [addClusterSpec, addAdminCluster]],
];

export function addAdmin(admin: Command, deps: CliDeps): void {
  for (const add of [addExport, addImport, addInitialPassword, addDashboard, addAdminNotifications])
    add(admin, deps);
  for (const [name, about, commands] of groups) {
    const group = admin.command(name).description(about);
    for (const add of commands) add(group, deps);
  }
}
