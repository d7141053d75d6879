// Draws docs/commands.md from the commands themselves: their flags, their texts and their examples.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The commands as the program has them now; built into the cache, where its packages are found. */
async function describeProgram() {
  const folder = resolve('node_modules/.cache/fairlead');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `commands-${process.pid}.mjs`);
  const options = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  };
  await build({ ...options, entryPoints: ['src/main/command-reference.ts'], outfile });
  const { describeProgram: describe } = await import(pathToFileURL(outfile).href);
  return describe();
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function flagsTable(options) {
  if (options.length === 0) return [];
  return [
    '| flag | what it does |',
    '|---|---|',
    ...options.map(({ flags, about }) => `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(about)} |`),
    '',
  ];
}

function section(command, level) {
  const { usage, about, options, examples, commands } = command;
  const own =
    commands.length > 0
      ? [`${'#'.repeat(level)} ${usage}`, '', `${about}.`, '']
      : [
          `${'#'.repeat(level)} \`fairlead ${usage}\``,
          '',
          `${about}.`,
          '',
          ...flagsTable(options),
          ...(examples.length > 0 ? ['```sh', ...examples, '```', ''] : []),
        ];
  return [...own, ...commands.flatMap((one) => section(one, Math.min(level + 1, 5)))];
}

export async function commands() {
  const program = await describeProgram();
  return `${[
    '# Commands',
    '',
    'Drawn from the program by `npm run docs`. `fairlead <command> --help` prints the same.',
    '',
    '## Flags of every command',
    '',
    ...flagsTable(program.options),
    'A flag of the command line wins over `FAIRLEAD_OPTS` or `ARGOCD_OPTS` (long options, quoted as in a shell), those over `FAIRLEAD_SERVER`,',
    '`FAIRLEAD_AUTH_TOKEN`, `ARGOCD_SERVER` and `ARGOCD_AUTH_TOKEN`, and those over the file with your logins, which `argocd` reads and writes too.',
    'A flag without a value may be given as `--flag=true` or `--flag=false`.',
    '',
    '## Exit codes',
    '',
    '| code | means |',
    '|---|---|',
    '| 0 | done |',
    '| 1 | a finding: `app diff` has differences, a sync failed or needs pruning, `rbac can` says No |',
    '| 20 | an error: a wrong command line, a refusal of the server, a file or a server that cannot be reached, a timeout |',
    '| 130 | interrupted |',
    '',
    ...program.commands.flatMap((one) => section(one, 2)),
  ].join('\n')}`;
}
