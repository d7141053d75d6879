import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { addAdminRbac } from './admin-rbac.ts';

/** compat server §8.6: the commands that need no server. A new one is a file beside this and a line here. */
export function addAdmin(admin: Command, deps: CliDeps): void {
  const settings = admin.command('settings').description('check the settings');
  addAdminRbac(settings, deps);
}
