import type { Command } from 'commander';

const known = new WeakMap<Command, readonly string[]>();

/** Command lines that `--help` prints after the flags, and the command reference too. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  known.set(command, lines);
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

export const examplesOf = (command: Command): readonly string[] => known.get(command) ?? [];
