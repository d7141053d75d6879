import type { Command } from 'commander';
import { examplesOf } from './input/examples.ts';
import { loadProgram } from './load-program.ts';
import type { CliOptions } from './run.ts';

/** A command as the reference of commands shows it. */
export type CommandDescription = {
  /** With its arguments: `app sync [name...]`. */
  readonly usage: string;
  readonly about: string;
  readonly options: readonly { readonly flags: string; readonly about: string }[];
  readonly examples: readonly string[];
  /** Empty for a command that does something itself. */
  readonly commands: readonly CommandDescription[];
};

/** Every command with its flags and examples; the first is the program itself, with the flags of every command. */
export async function describeCommands(options: CliOptions): Promise<CommandDescription> {
  return describe(await loadProgram(options), '');
}

function describe(command: Command, path: string): CommandDescription {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const own = command.parent ? `${path} ${command.name()}`.trim() : '';
  return {
    usage: [own, ...args].join(' ').trim(),
    about: command.description(),
    options: command.options
      .filter(({ hidden, long }) => !hidden && long !== '--version')
      .map((option) => ({
        flags: option.flags,
        about: withDefault(option.description, option.defaultValue),
      })),
    examples: examplesOf(command),
    commands: command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => one.name() !== 'help')
      .map((one) => describe(one, own)),
  };
}

const withDefault = (about: string, value: unknown): string =>
  typeof value === 'string' && value !== '' && !about.includes('default:')
    ? `${about} (default: ${value})`
    : about;
