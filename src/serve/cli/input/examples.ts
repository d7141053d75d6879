import type { Command } from 'commander';

const known = new WeakMap<Command, readonly string[]>();

/** Command lines that `--help` prints after the flags, and the command reference too. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  known.set(command, lines);
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

export const examplesOf = (command: Command): readonly string[] => known.get(command) ?? [];

/** Examples for the commands of a group, by name. */
export function exampleTable(group: Command, table: Readonly<Record<string, readonly string[]>>): void {
  for (const command of group.commands) {
    const lines = Object.hasOwn(table, command.name()) ? table[command.name()] : undefined;
    if (lines) examples(command, ...lines);
  }
}
