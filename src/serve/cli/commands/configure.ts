import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { examples } from '../input/examples.ts';
import { ExitError, usageExitCode } from '../io.ts';
import { configPath, readConfig, writeConfig } from '../session/config-file.ts';

/** compat server §8.3: settings of the command line itself, kept in the file with the logins. */
export function addConfigure(configure: Command, { io, flags, program }: CliDeps): void {
  configure.action(async () => {
    const given = program.opts<{ promptsEnabled?: boolean }>().promptsEnabled;
    if (given === undefined)
      throw new ExitError(
        usageExitCode,
        'nothing to configure: give --prompts-enabled or --prompts-enabled=false',
      );
    const path = flags().config ?? configPath(io.env);
    const settings = { 'prompts-enabled': given, 'fairlead-prompts-enabled': given };
    await writeConfig(path, { ...(await readConfig(path)), ...settings });
    io.out(`Prompts are ${given ? 'enabled' : 'disabled'}\n`);
  });
  examples(configure, 'fairlead configure --prompts-enabled=false');
}
