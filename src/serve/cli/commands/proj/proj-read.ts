import type { Command } from 'commander';
import type { AppProject, ResourceRule } from '#base/model';
import { projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { printAs } from '../../output/print.ts';
import { facts, table } from '../../output/table.ts';

export function addProjectReading(proj: Command, { open }: CliDeps): void {
  const list = proj
    .command('list')
    .description('list projects')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .action(async ({ output }: { output: string }) => {
      const { io, session } = await open();
      const { items } = await session.call(projects.list);
      if (output === 'name') io.out(items.map(({ metadata }) => `${metadata.name}\n`).join(''));
      else io.out(output === 'wide' ? projectTable(items) : printAs(output, items));
    });
  examples(list, 'fairlead proj list', 'fairlead proj list -o yaml');
  const get = proj
    .command('get <name>')
    .description('show one project')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (name: string, { output }: { output: string }) => {
      const { io, session } = await open();
      const project = await session.call(projects.get, { params: { name } });
      io.out(output === 'wide' ? projectFacts(project) : printAs(output, project));
    });
  examples(get, 'fairlead proj get default', 'fairlead proj get default -o yaml');
}

const counted = (list: readonly unknown[], noun: string): string => `${list.length} ${noun}`;
const oneOr = (list: readonly string[], noun: string): string =>
  list.length === 0 ? '<none>' : list.length === 1 ? (list[0] ?? '') : counted(list, noun);
const ruleText = ({ group, kind, name }: ResourceRule): string => `${group}/${kind}${name ? `/${name}` : ''}`;

function destinationsOf({ spec }: AppProject): string[] {
  return (spec.destinations ?? []).map(
    ({ server, name, namespace = '' }) => `${server ?? name ?? ''},${namespace}`,
  );
}

function orphansOf({ spec }: AppProject): string {
  const { orphanedResources: orphaned } = spec;
  if (!orphaned) return 'disabled';
  const ignored = orphaned.ignore?.length ?? 0;
  return `enabled (warn=${orphaned.warn === true}${ignored > 0 ? `, ignored ${ignored}` : ''})`;
}

/** compat server §8.3: the columns of the peer. */
function projectTable(items: readonly AppProject[]): string {
  const head =
    'NAME DESCRIPTION DESTINATIONS SOURCES CLUSTER-RESOURCE-WHITELIST NAMESPACE-RESOURCE-BLACKLIST SIGNATURE-KEYS ORPHANED-RESOURCES DESTINATION-SERVICE-ACCOUNTS'.split(
      ' ',
    );
  const rows = items.map((project) => {
    const { spec, metadata } = project;
    return [
      metadata.name,
      spec.description ?? '',
      oneOr(destinationsOf(project), 'destinations'),
      oneOr(spec.sourceRepos ?? [], 'repos'),
      oneOr((spec.clusterResourceWhitelist ?? []).map(ruleText), 'resources'),
      oneOr((spec.namespaceResourceBlacklist ?? []).map(ruleText), 'resources'),
      oneOr(
        (spec.signatureKeys ?? []).map(({ keyID }) => keyID),
        'key(s)',
      ),
      orphansOf(project),
      oneOr((spec.destinationServiceAccounts ?? []).map(accountText), 'destinationServiceAccounts'),
    ];
  });
  return table(head, rows);
}

const accountText = (one: NonNullable<AppProject['spec']['destinationServiceAccounts']>[number]): string =>
  `${one.server},${one.namespace ?? ''},${one.defaultServiceAccount}`;

/** One line for each of a list; the first has the name. */
function listed(name: string, values: readonly string[]): (readonly [string, string])[] {
  return values.length === 0
    ? [[name, '<none>']]
    : values.map((value, at) => [at === 0 ? name : '', value] as const);
}

function projectFacts(project: AppProject): string {
  const { spec, metadata } = project;
  const rules = (list: readonly ResourceRule[] | undefined) => (list ?? []).map(ruleText);
  return facts([
    ['Name', metadata.name],
    ['Description', spec.description ?? ''],
    ...listed('Destinations', destinationsOf(project)),
    ...listed('Repositories', spec.sourceRepos ?? []),
    ...listed('Source Namespaces', spec.sourceNamespaces ?? []),
    ...listed('Allowed Cluster', rules(spec.clusterResourceWhitelist)),
    ...listed('Denied Cluster', rules(spec.clusterResourceBlacklist)),
    ...listed('Allowed Kinds', rules(spec.namespaceResourceWhitelist)),
    ...listed('Denied Kinds', rules(spec.namespaceResourceBlacklist)),
    ...listed(
      'Signature Keys',
      (spec.signatureKeys ?? []).map(({ keyID }) => keyID),
    ),
    ['Orphaned', orphansOf(project)],
    ...listed('Service Accounts', (spec.destinationServiceAccounts ?? []).map(accountText)),
    ...listed(
      'Roles',
      (spec.roles ?? []).map(({ name }) => name),
    ),
    ...listed(
      'Sync Windows',
      (spec.syncWindows ?? []).map((one) => `${one.kind}:${one.schedule}:${one.duration}`),
    ),
  ]);
}
