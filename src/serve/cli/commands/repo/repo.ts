import type { Command } from 'commander';
import { type RepositoryInput, type RepositoryView, repositories, writeRepositories } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { given, wholeNumber } from '../../input/flag-values.ts';
import type { Io } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { facts, table } from '../../output/table.ts';
import { accessOf, addCredentialFlags, type CredentialFlags } from './credential-flags.ts';

export type RepoFlags = CredentialFlags & {
  name?: string;
  project?: string;
  upsert?: boolean;
  enableLfs?: boolean;
  depth?: string;
  insecureSkipServerVerification?: boolean;
  insecureIgnoreHostKey?: boolean;
  write?: boolean;
  output?: string;
};
type ReadFlags = { output: string; refresh?: string; project?: string; write?: boolean };

/** compat server §8.3: the commands for repositories. */
export function addRepositories(repo: Command, deps: CliDeps): void {
  for (const add of [addRepoAdd, addRepoReading, addRepoRemove]) add(repo, deps);
}

const endpointsOf = ({ write }: { write?: boolean }) => (write ? writeRepositories : repositories);
const writing = (command: Command): Command =>
  command
    .option('--project <name>', 'scoped to this project')
    .option('--write', 'the credentials for pushing commits, as those of Knative traffic');

export const repositoryFlags = (command: Command): Command =>
  addCredentialFlags(writing(command))
    .option('--name <name>', 'its name; needed for a chart repository')
    .option('--enable-lfs', 'fetch large files')
    .option('--depth <count>', 'fetch no more than so many commits')
    .option('--insecure-skip-server-verification', 'accept a certificate that is not trusted')
    .option('--insecure-ignore-host-key', 'accept any SSH host key');

function addRepoAdd(repo: Command, { io, open }: CliDeps): void {
  const add = repositoryFlags(repo.command('add <url>'))
    .description('test the connection to a repository and store it with its credentials')
    .option('--upsert', 'replace a repository that is stored with other settings')
    .action(async (url: string, flags: RepoFlags) => {
      const { session } = await open();
      const endpoints = endpointsOf(flags);
      const body = await repositoryOf(io, url, flags);
      await session.call(endpoints.create, { query: { upsert: flags.upsert }, body });
      io.out(`Repository '${url}' added\n`);
    });
  examples(
    add,
    'fairlead repo add https://github.com/example/app.git --username git --password <token>',
    'fairlead repo add git@github.com:example/app.git --ssh-private-key-path ~/.ssh/id_ed25519',
    'fairlead repo add https://charts.example.com --type helm --name example',
    'fairlead repo add registry.example.com/charts --type helm --name oci --enable-oci',
  );
}

export async function repositoryOf(io: Io, repo: string, flags: RepoFlags): Promise<RepositoryInput> {
  const { name, project, enableLfs, depth } = flags;
  return {
    repo,
    ...(await accessOf(io, flags)),
    ...given({
      name,
      project,
      enableLfs,
      depth: depth === undefined ? undefined : wholeNumber('--depth', depth),
      insecure: flags.insecureSkipServerVerification,
      insecureIgnoreHostKey: flags.insecureIgnoreHostKey,
    }),
  };
}

function addRepoReading(repo: Command, { open }: CliDeps): void {
  const reading = (command: Command): Command =>
    writing(command)
      .option('-o, --output <format>', 'wide, url, json or yaml', 'wide')
      .option('--refresh <how>', 'hard: test the connection now');
  const list = reading(repo.command('list'))
    .description('list repositories and whether they can be reached')
    .action(async (flags: ReadFlags) => {
      const { io, session } = await open();
      const query = { appProject: flags.project, forceRefresh: flags.refresh === 'hard' || undefined };
      const { items } = await session.call(endpointsOf(flags).list, { query });
      if (flags.output === 'url') io.out(items.map((one) => `${one.repo}\n`).join(''));
      else io.out(flags.output === 'wide' ? repositoryTable(items) : printAs(flags.output, items));
    });
  examples(list, 'fairlead repo list', 'fairlead repo list --refresh hard -o url');
  const get = reading(repo.command('get <url>'))
    .description('show one repository')
    .action(async (url: string, flags: ReadFlags) => {
      const { io, session } = await open();
      const query = { appProject: flags.project, forceRefresh: flags.refresh === 'hard' || undefined };
      const found = await session.call(endpointsOf(flags).get, { params: { repo: url }, query });
      if (flags.output === 'url') io.out(`${found.repo}\n`);
      else io.out(flags.output === 'wide' ? repositoryFacts(found) : printAs(flags.output, found));
    });
  examples(get, 'fairlead repo get https://github.com/example/app.git');
}

const credsOf = ({ inheritedCreds, username, githubAppID }: RepositoryView): string => {
  if (inheritedCreds) return 'inherited';
  return String(Boolean(username || githubAppID));
};

/** compat server §8.3: the columns of the peer. */
function repositoryTable(items: readonly RepositoryView[]): string {
  const head = 'TYPE NAME REPO INSECURE OCI LFS CREDS STATUS MESSAGE PROJECT'.split(' ');
  const rows = items.map((one) => [
    one.type,
    one.name ?? '',
    one.repo,
    String(one.insecure === true || one.insecureIgnoreHostKey === true),
    String(one.enableOCI === true),
    String(one.enableLfs === true),
    credsOf(one),
    one.connectionState?.status ?? '',
    one.connectionState?.message ?? '',
    one.project ?? '',
  ]);
  return table(head, rows);
}

const repositoryFacts = (one: RepositoryView): string =>
  facts([
    ['Repository', one.repo],
    ['Type', one.type],
    ['Name', one.name],
    ['Project', one.project],
    ['Insecure', String(one.insecure === true || one.insecureIgnoreHostKey === true)],
    ['OCI', String(one.enableOCI === true)],
    ['LFS', String(one.enableLfs === true)],
    ['Credentials', credsOf(one)],
    ['Status', one.connectionState?.status],
    ['Message', one.connectionState?.message || undefined],
  ]);

function addRepoRemove(repo: Command, { open }: CliDeps): void {
  const remove = writing(repo.command('rm <url...>'))
    .description('delete repositories with their credentials; applications that use them stay')
    .action(async (urls: string[], flags: { project?: string; write?: boolean }) => {
      const { io, session } = await open();
      for (const url of urls) {
        const query = { appProject: flags.project };
        await session.call(endpointsOf(flags).delete, { params: { repo: url }, query });
        io.out(`Repository '${url}' removed\n`);
      }
    });
  examples(remove, 'fairlead repo rm https://github.com/example/app.git');
}
