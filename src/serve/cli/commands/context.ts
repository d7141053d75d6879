import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { examples } from '../input/examples.ts';
import { ExitError } from '../io.ts';
import { table } from '../output/table.ts';
import { configPath, readConfig, writeConfig } from '../session/config-file.ts';

/** compat server §8.3: lists the logins, changes the current one, and removes one. */
export function addContext(context: Command, { io, flags }: CliDeps): void {
  context
    .argument('[name]')
    .option('--delete', 'remove the context')
    .action(async (name: string | undefined, { delete: isDelete }: { delete?: boolean }) => {
      const path = flags().config ?? configPath(io.env);
      if (name === undefined) io.out(await contextTable(path));
      else if (isDelete) io.out(await removed(path, name));
      else io.out(await switched(path, name));
    });
  examples(
    context,
    'fairlead context',
    'fairlead context production',
    'fairlead context production --delete',
  );
}

async function contextTable(path: string): Promise<string> {
  const { contexts = [], 'current-context': current } = await readConfig(path);
  const rows = contexts.map(({ name, server }) => [name === current ? '*' : '', name, server]);
  return table(['CURRENT', 'NAME', 'SERVER'], rows);
}

async function known(path: string, name: string) {
  const config = await readConfig(path);
  const found = config.contexts?.find((one) => one.name === name);
  if (found) return { config, found };
  throw new ExitError(20, `context '${name}' does not exist: see fairlead context`);
}

async function switched(path: string, name: string): Promise<string> {
  const { config } = await known(path, name);
  if (config['current-context'] === name) return `Already at context '${name}'\n`;
  await writeConfig(path, { ...config, 'current-context': name });
  return `Switched to context '${name}'\n`;
}

/** The user and the server stay while another context uses them. */
async function removed(path: string, name: string): Promise<string> {
  const { config, found } = await known(path, name);
  const contexts = (config.contexts ?? []).filter((one) => one !== found);
  const isCurrent = config['current-context'] === name;
  await writeConfig(path, {
    ...config,
    contexts,
    users: (config.users ?? []).filter(
      (user) => user.name !== found.user || contexts.some((one) => one.user === user.name),
    ),
    servers: (config.servers ?? []).filter(
      ({ server }) => server !== found.server || contexts.some((one) => one.server === server),
    ),
    'current-context': isCurrent ? '' : (config['current-context'] ?? ''),
  });
  return `Context '${name}' deleted\n${isCurrent ? 'There is no current context now: choose one with fairlead context <name>\n' : ''}`;
}
