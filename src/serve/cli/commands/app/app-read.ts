import type { Command } from 'commander';
import type { Application } from '#base/model';
import { parseJson } from '#base/std';
import { unifiedDiff } from '#engine';
import { applications, type ManagedResource } from '#serve/api';
import type { Open } from '../../cli-deps.ts';
import { ExitError } from '../../io.ts';
import { historyTable } from '../../output/history.ts';
import {
  applicationFacts,
  applicationTable,
  conditionTable,
  operationFacts,
  printAs,
  resourceHead,
  resourceRows,
} from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { nameOf } from '../../output/words.ts';
import { type ReadFlags, refOfName } from './app-flags.ts';

export function addList(app: Command, open: Open): void {
  app
    .command('list')
    .description('list applications')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .option('-p, --project <name>', 'only of this project')
    .option('-l, --selector <labels>', 'only with these labels')
    .action(async (flags: { output: string; project?: string; selector?: string }) => {
      const { io, session } = await open();
      const query = { projects: flags.project, selector: flags.selector };
      const { items } = await session.call(applications.list, { query });
      if (flags.output === 'wide') io.out(applicationTable(items));
      else if (flags.output === 'name') io.out(items.map((item) => `${nameOf(item)}\n`).join(''));
      else io.out(printAs(flags.output, items));
    });
}

export function addGet(app: Command, open: Open): void {
  app
    .command('get <name>')
    .description('show one application, its resources and its last operation')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .option('--refresh', 'fetch from Git again first')
    .option('--hard-refresh', 'fetch from Git and render again first, without caches')
    .option('--show-operation', 'show the last operation')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: ReadFlags & { output: string; showOperation?: boolean }) => {
      const { io, session } = await open();
      const { params, query } = refOfName(name, flags);
      const refresh = refreshOf(flags);
      const found = await session.call(applications.get, { params, query: { ...query, refresh } });
      if (flags.output !== 'wide') {
        io.out(printAs(flags.output, found));
        return;
      }
      const [tree, windows] = await Promise.all([
        session.call(applications.tree, { params, query }),
        session.call(applications.windows, { params, query }),
      ]);
      io.out(applicationFacts(found, session.origin, windows));
      if (flags.showOperation) io.out(`\n${operationFacts(found)}`);
      io.out(conditionTable(found));
      io.out(`\n${table(resourceHead, resourceRows(found, tree))}`);
    });
}

export function addHistory(app: Command, open: Open): void {
  app
    .command('history <name>')
    .description('show what was deployed and when')
    .option('-o, --output <format>', 'wide or id', 'wide')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: ReadFlags & { output: string }) => {
      const { io, session } = await open();
      const found = await session.call(applications.get, refOfName(name, flags));
      const ids = (found.status?.history ?? []).map(({ id }) => `${id}\n`).join('');
      io.out(flags.output === 'id' ? ids : historyTable(found));
    });
}

export function addDiff(app: Command, open: Open): void {
  app
    .command('diff <name>')
    .description('show how the live objects differ from what Git declares; exit code 1 when they do')
    .option('--refresh', 'fetch from Git again first')
    .option('--hard-refresh', 'fetch from Git and render again first, without caches')
    .option('--exit-code', 'end with an exit code when there are differences', true)
    .option('--no-exit-code', 'end with 0 also when there are differences')
    .option('--diff-exit-code <code>', 'the exit code for differences', '1')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: ReadFlags & { exitCode: boolean; diffExitCode: string }) => {
      const { io, session } = await open();
      const { params, query } = refOfName(name, flags);
      const refresh = refreshOf(flags);
      const app = await session.call(applications.get, { params, query: { ...query, refresh } });
      failIfUnknown(app);
      const { items } = await session.call(applications.managedResources, { params, query });
      const changed = items.filter((one) => one.modified && !one.hook);
      io.out(changed.map(diffOf).join(''));
      if (changed.length > 0 && flags.exitCode) throw new ExitError(Number(flags.diffExitCode), '');
    });
}

/** The desired state is unknown, so the differences are too: an empty output would mean none. */
function failIfUnknown({ status }: Application): void {
  if (status?.sync?.status !== 'Unknown') return;
  const errors = (status.conditions ?? []).filter(({ type }) => type.endsWith('Error'));
  if (errors.length > 0) throw new ExitError(20, errors.map(({ message }) => message).join('; '));
}

/** compat server §8.5: a header per resource, then the change that a sync would make. */
function diffOf(item: ManagedResource): string {
  const header = `===== ${item.group ?? ''}/${item.kind} ${item.namespace ?? ''}/${item.name} ======`;
  const live = parseJson(item.normalizedLiveState || item.liveState);
  const target = parseJson(item.predictedLiveState || item.targetState);
  return `${header}\n${unifiedDiff(live, target)}\n`;
}

function refreshOf({ refresh, hardRefresh }: ReadFlags): 'hard' | 'normal' | undefined {
  if (hardRefresh) return 'hard';
  return refresh ? 'normal' : undefined;
}
