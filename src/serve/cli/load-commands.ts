import type { Command } from 'commander';
import type { AddCommand, CliDeps } from './cli-deps.ts';

type Commands = Readonly<Record<string, () => Promise<AddCommand>>>;

/**
 * Adds the command of a group that the command line names. Where it names none, adds all of them: help and completion list
 * them, and a typo is compared with them.
 */
export async function addNamed(group: Command, deps: CliDeps, commands: Commands): Promise<void> {
  const { args } = deps;
  const name = args[args.indexOf(group.name()) + 1] ?? '';
  const named = Object.hasOwn(commands, name) && !isCompletion(args) ? commands[name] : undefined;
  const wanted = named ? [named] : Object.values(commands);
  for (const add of await Promise.all(wanted.map((load) => load()))) add(group, deps);
}

/** A word that is being completed may be the beginning of another one. */
export const isCompletion = ([first]: readonly string[]): boolean => first === '__complete';
