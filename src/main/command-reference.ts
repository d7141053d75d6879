import { realClock, silent } from '#base/std';
import { type CommandDescription, describeCommands } from '#serve/cli';
import { rolesOf } from './roles.ts';

/** Every command of the program, for docs/commands.md, which `npm run docs` draws. */
export function describeProgram(): Promise<CommandDescription> {
  const { signal } = new AbortController();
  const nothing = (): void => {};
  const never = () => Promise.reject(new Error('a description opens nothing'));
  return describeCommands({
    io: { out: nothing, err: nothing, env: {}, isTerminal: false, prompt: never },
    version: '',
    roles: rolesOf(
      { signal, log: silent, clock: realClock },
      { env: {}, say: nothing, sink: { write: nothing } },
    ),
    signal,
    openManifests: never,
  });
}
