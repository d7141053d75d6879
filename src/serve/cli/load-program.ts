import type { Command } from 'commander';
import { addGroups, groups } from './groups.ts';
import { addPeerOnly } from './peer-only.ts';
import { addRoles, type CliOptions, programOf } from './run.ts';

/** The program with every command. */
export async function loadProgram(options: CliOptions): Promise<Command> {
  const program = programOf(options);
  addRoles(program, options.roles);
  await addGroups(
    program,
    // the groups of admin have the names of other groups, but for this one
    ['settings', ...groups.map(({ name }) => name)],
    { ...options, closers: [] },
  );
  addPeerOnly(program, options.io);
  return program;
}
