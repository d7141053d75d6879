import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { addProjectEdits } from './proj-edits.ts';
import { addIntegrity } from './proj-integrity.ts';
import { addProjectReading } from './proj-read.ts';
import { addRoles } from './proj-roles.ts';
import { addWindows } from './proj-windows.ts';
import { addProjectWriting } from './proj-write.ts';

/** compat server §8.3: the commands for projects. */
export function addProjects(proj: Command, deps: CliDeps): void {
  for (const add of [
    addProjectReading,
    addProjectWriting,
    addProjectEdits,
    addRoles,
    addWindows,
    addIntegrity,
  ])
    add(proj, deps);
}
