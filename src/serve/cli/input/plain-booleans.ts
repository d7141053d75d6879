import { type Command, Option } from 'commander';

/**
 * compat server §8.1: a flag without a value may be given as `--prune=true` or `--prune=false`. Every one gets a hidden `--no-…`,
 * which is what `=false` becomes, so that a command can distinguish it from a flag that was not given.
 */
export function plainBooleans(program: Command, args: readonly string[]): string[] {
  negatable(program);
  const known = booleansOf(program);
  return args.map((arg) => {
    const [, name = '', value = ''] = /^--([a-z][a-z0-9-]*)=(true|false|1|0|t|f)$/i.exec(arg) ?? [];
    if (!known.has(name)) return arg;
    return /^[1t]/i.test(value) ? `--${name}` : `--no-${name}`;
  });
}

function negatable(command: Command): void {
  const names = new Set(command.options.map(({ long }) => long));
  for (const option of command.options) {
    const opposite = `--no-${option.long?.slice(2)}`;
    if (isBoolean(option) && !names.has(opposite)) command.addOption(new Option(opposite).hideHelp());
  }
  for (const child of command.commands) negatable(child);
}

function booleansOf(command: Command, found = new Set<string>()): Set<string> {
  for (const option of command.options) if (isBoolean(option)) found.add(option.long?.slice(2) ?? '');
  for (const child of command.commands) booleansOf(child, found);
  return found;
}

const isBoolean = ({ required, optional, negate, long }: Option): boolean =>
  !required && !optional && !negate && long !== undefined && long !== '--version';
