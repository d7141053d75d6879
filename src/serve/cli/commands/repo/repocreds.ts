import type { Command } from 'commander';
import { type TemplateView, templates, writeTemplates } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { printAs } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { accessOf, addCredentialFlags, type CredentialFlags } from './credential-flags.ts';

type TemplateFlags = CredentialFlags & { upsert?: boolean; write?: boolean };

const endpointsOf = ({ write }: { write?: boolean }) => (write ? writeTemplates : templates);
const writing = (command: Command): Command =>
  command.option('--write', 'the credentials for pushing commits, as those of Knative traffic');

/** compat server §8.3: credentials for every repository whose URL begins as theirs. */
export function addTemplates(repocreds: Command, { io, open }: CliDeps): void {
  const add = addCredentialFlags(writing(repocreds.command('add <url>')))
    .description('store credentials for all repositories whose URL begins so')
    .option('--upsert', 'replace credentials that are stored')
    .action(async (url: string, flags: TemplateFlags) => {
      const { session } = await open();
      const body = { url, ...(await accessOf(io, flags)) };
      await session.call(endpointsOf(flags).create, { query: { upsert: flags.upsert }, body });
      io.out(`Repository credentials for '${url}' added\n`);
    });
  examples(
    add,
    'fairlead repocreds add https://github.com/example/ --username git --password <token>',
    'fairlead repocreds add git@github.com:example/ --ssh-private-key-path ~/.ssh/id_ed25519',
  );
  const list = writing(repocreds.command('list'))
    .description('list the credentials, without their secrets')
    .option('-o, --output <format>', 'wide, url, json or yaml', 'wide')
    .action(async (flags: { output: string; write?: boolean }) => {
      const { session } = await open();
      const { items } = await session.call(endpointsOf(flags).list);
      if (flags.output === 'url') io.out(items.map(({ url }) => `${url}\n`).join(''));
      else io.out(flags.output === 'wide' ? templateTable(items) : printAs(flags.output, items));
    });
  examples(list, 'fairlead repocreds list', 'fairlead repocreds list -o url');
  const remove = writing(repocreds.command('rm <url...>'))
    .description('delete credentials')
    .action(async (urls: string[], flags: { write?: boolean }) => {
      const { session } = await open();
      for (const url of urls) {
        await session.call(endpointsOf(flags).delete, { params: { url } });
        io.out(`Repository credentials for '${url}' removed\n`);
      }
    });
  examples(remove, 'fairlead repocreds rm https://github.com/example/');
}

function templateTable(items: readonly TemplateView[]): string {
  const rows = items.map(({ url, username = '', githubAppID }) => [
    url,
    username || '-',
    /^(?:ssh:\/\/|[^/]+@)/.test(url) ? 'true' : 'false',
    githubAppID ? 'true' : 'false',
  ]);
  return table(['URL PATTERN', 'USERNAME', 'SSH_CREDS', 'GITHUB_APP'], rows);
}
