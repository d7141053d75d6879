import type { Command } from 'commander';
import { type Application, effectiveSources } from '#base/model';
import { FairleadError } from '#base/std';
import { applications, type ResourceTree } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { collectList } from '../../input/lists.ts';
import type { Io } from '../../io.ts';
import { printDeclared } from '../../output/declared.ts';
import { historyTable } from '../../output/history.ts';
import {
  applicationFacts,
  applicationTable,
  conditionTable,
  operationFacts,
  parameterTable,
  printAs,
  resourceHead,
  resourceRows,
} from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { treeTable } from '../../output/tree.ts';
import { nameOf } from '../../output/words.ts';
import { positionOf } from './app-change.ts';
import { namespaced, type ReadFlags, refOfName, refreshOf } from './app-flags.ts';

type ListFlags = {
  output: string;
  project?: string[];
  selector?: string;
  cluster?: string;
  repo?: string;
  path?: string;
  appNamespace?: string;
  multiDoc?: boolean;
};

export function addList(app: Command, { open }: CliDeps): void {
  const list = app
    .command('list')
    .description('list applications')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .option('-p, --project <name>', 'only of this project; may be repeated', collectList)
    .option('-l, --selector <labels>', 'only with these labels')
    .option('-c, --cluster <name>', 'only on this cluster, by name or address')
    .option('-r, --repo <url>', 'only from this repository')
    .option('-P, --path <dir>', 'only from this folder')
    .option('-N, --app-namespace <namespace>', 'only of this namespace')
    .option('--multi-doc', 'with -o yaml, one document for each, as appset generate prints them')
    .action(async (flags: ListFlags) => {
      const { io, session } = await open();
      const { project: projects, selector, repo, appNamespace } = flags;
      const { items } = await session.call(applications.list, {
        query: { projects, selector, repo, appNamespace, fields: fieldsFor(flags.output) },
      });
      io.out(
        listText(
          items.filter((item) => isListed(item, flags)),
          flags,
        ),
      );
    });
  examples(
    list,
    'fairlead app list',
    'fairlead app list -l app.kubernetes.io/instance=my-app -o name',
    'fairlead app list -p team-a -c in-cluster -o json',
  );
}

/** What a table shows: the lists of resources and the histories are most of what the server would send. */
function fieldsFor(output: string): string | undefined {
  if (output !== 'wide' && output !== 'name') return undefined;
  const status = ['sync.status', 'health', 'conditions'].map((field) => `items.status.${field}`);
  return ['items.metadata.name', 'items.metadata.namespace', 'items.spec', ...status].join(',');
}

function isListed({ spec }: Application, { cluster, path }: ListFlags): boolean {
  const { server, name } = spec.destination;
  const isThere = cluster === undefined || cluster === server || cluster === name;
  return isThere && (path === undefined || effectiveSources(spec).some((source) => source.path === path));
}

/** dev server §8.2: every object has its kind, and with --multi-doc the YAML is comparable with that of appset generate. */
function listText(items: readonly Application[], { output, multiDoc }: ListFlags): string {
  if (output === 'wide') return applicationTable(items);
  if (output === 'name') return items.map((item) => `${nameOf(item)}\n`).join('');
  if (output === 'yaml' && multiDoc) return printDeclared(items);
  const whole = items.map(({ apiVersion: _version, kind: _kind, ...rest }) => ({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' },
    ...rest,
  }));
  return printAs(output, whole);
}

type GetFlags = ReadFlags & {
  output: string;
  showOperation?: boolean;
  showParams?: boolean;
  timeout: string;
  sourcePosition?: string;
  sourceName?: string;
};

export function addGet(app: Command, { open }: CliDeps): void {
  const get = namespaced(app.command('get <name>'))
    .description('show one application, its resources and its last operation')
    .option('-o, --output <format>', 'wide, tree, tree=detailed, json or yaml', 'wide')
    .option('--refresh', 'fetch from Git again first')
    .option('--hard-refresh', 'fetch from Git and render again first, without caches')
    .option('--show-operation', 'show the last operation')
    .option('--show-params', 'show the parameters of its sources')
    .option('--source-position <number>', 'only the parameters of this source; the first is 1')
    .option('--source-name <name>', 'only the parameters of this source')
    .option('--timeout <seconds>', 'give up after this long; 0 never', '0')
    .action(async (name: string, flags: GetFlags) => {
      const { io, session, signal } = await open();
      const { params, query } = refOfName(name, flags);
      const seconds = wholeNumber('--timeout', flags.timeout);
      const late = seconds > 0 ? AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]) : signal;
      const found = await session.call(applications.get, {
        params,
        query: { ...query, refresh: refreshOf(flags) },
        signal: late,
      });
      if (!/^(?:wide|tree|tree=detailed)$/.test(flags.output)) {
        io.out(printAs(flags.output, found));
        return;
      }
      const [tree, windows] = await Promise.all([
        session.call(applications.tree, { params, query }).catch(unreadableTree(io, found)),
        session.call(applications.windows, { params, query }),
      ]);
      io.out(applicationFacts(found, session.origin, windows));
      if (flags.showOperation) io.out(`\n${operationFacts(found)}`);
      if (flags.showParams) io.out(paramsText(found, flags));
      io.out(conditionTable(found));
      if (flags.output === 'wide') io.out(`\n${table(resourceHead, resourceRows(found, tree))}`);
      else {
        const isDetailed = flags.output === 'tree=detailed';
        io.out(`\n${treeTable(found, tree, { isDetailed, now: new Date() })}`);
      }
    });
  examples(
    get,
    'fairlead app get guestbook',
    'fairlead app get guestbook --refresh -o tree=detailed',
    'fairlead app get guestbook --show-operation --show-params',
    'fairlead app get guestbook -o yaml',
  );
}

/**
 * Instead of the tree what the status has of it, with a note: during an outage of its cluster the rest of the application is
 * what the user looks for.
 */
const unreadableTree =
  (io: Io, { status }: Application) =>
  (error: unknown): ResourceTree => {
    const { code, message } = FairleadError.from(error);
    if (code !== 'Unavailable') throw error;
    io.err(`note: the live resources cannot be read: ${message}\n`);
    return { nodes: status?.resources ?? [] };
  };

function paramsText({ spec }: Application, flags: GetFlags): string {
  const isChosen = flags.sourcePosition !== undefined || flags.sourceName !== undefined;
  const sources = effectiveSources(spec);
  const chosen = isChosen ? sources.filter((_, at) => at === positionOf(spec, flags)) : sources;
  return chosen.map((source) => `\n${parameterTable(source)}`).join('');
}

export function addHistory(app: Command, { open }: CliDeps): void {
  const history = namespaced(app.command('history <name>'))
    .description('show what was deployed and when')
    .option('-o, --output <format>', 'wide, id, json or yaml', 'wide')
    .action(async (name: string, flags: ReadFlags & { output: string }) => {
      const { io, session } = await open();
      const found = await session.call(applications.get, refOfName(name, flags));
      const entries = found.status?.history ?? [];
      if (flags.output === 'id') io.out(entries.map(({ id }) => `${id}\n`).join(''));
      else io.out(flags.output === 'wide' ? historyTable(found) : printAs(flags.output, entries));
    });
  examples(history, 'fairlead app history guestbook', 'fairlead app history guestbook -o id');
}
