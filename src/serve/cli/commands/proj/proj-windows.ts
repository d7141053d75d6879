import type { Command } from 'commander';
import type { ProjectSpec, SyncWindow } from '#base/model';
import { equal } from '#base/std';
import { projects } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { given } from '../../input/flag-values.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { editProject } from './edit-project.ts';

type WindowFlags = {
  kind?: string;
  schedule?: string;
  duration?: string;
  applications?: string[];
  namespaces?: string[];
  clusters?: string[];
  manualSync?: boolean;
  timeZone?: string;
  useAndOperator?: boolean;
  syncOverrun?: boolean;
  description?: string;
};

export function addWindows(proj: Command, deps: CliDeps): void {
  const windows = proj.command('windows').description('work with the sync windows of a project');
  for (const add of [addListWindows, addChanging, addSwitches]) add(windows, deps);
}

const windowFlags = (command: Command): Command =>
  command
    .option('--schedule <cron>', 'when it begins, for example "0 22 * * *"')
    .option('--duration <duration>', 'how long it lasts, for example 1h')
    .option('--applications <pattern>', 'the applications it is for; may be repeated', collectList)
    .option('--namespaces <pattern>', 'the namespaces it is for; may be repeated', collectList)
    .option('--clusters <pattern>', 'the clusters it is for; may be repeated', collectList)
    .option('--manual-sync', 'users may sync while it forbids automated syncs')
    .option('--time-zone <zone>', 'the time zone of the schedule, for example Europe/Berlin')
    .option('--use-and-operator', 'applications, namespaces and clusters must all match')
    .option('--sync-overrun', 'a sync that has begun may finish')
    .option('--description <text>', 'what it is for');

const windowOf = ({ useAndOperator, kind: _kind, ...flags }: WindowFlags): SyncWindow =>
  given({ ...flags, andOperator: useAndOperator }) as SyncWindow;

function addListWindows(windows: Command, { open }: CliDeps): void {
  const list = windows
    .command('list <project>')
    .description('list the sync windows of a project; STATUS is Active while one is open')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (name: string, { output }: { output: string }) => {
      const { io, session } = await open();
      const { spec } = await session.call(projects.get, { params: { name } });
      const all = spec.syncWindows ?? [];
      if (output !== 'wide') {
        io.out(printAs(output, all));
        return;
      }
      const { windows: active } = await session.call(projects.windows, { params: { name } });
      io.out(windowTable(all, active ?? []));
    });
  examples(list, 'fairlead proj windows list team-a');
}

const patterns = (list: readonly string[] | undefined): string => (list?.length ? list.join(',') : '-');

const switched = (isOn: boolean | undefined): string => (isOn ? 'Enabled' : 'Disabled');

function windowTable(all: readonly SyncWindow[], active: readonly SyncWindow[]): string {
  const head =
    'ID STATUS KIND SCHEDULE DURATION APPLICATIONS NAMESPACES CLUSTERS MANUALSYNC SYNCOVERRUN TIMEZONE USEANDOPERATOR DESCRIPTION'.split(
      ' ',
    );
  const isActive = (one: SyncWindow): boolean => active.some((other) => equal(other, one));
  const rows = all.map((one, id) => [
    String(id),
    isActive(one) ? 'Active' : 'Inactive',
    one.kind ?? '',
    one.schedule ?? '',
    one.duration ?? '',
    patterns(one.applications),
    patterns(one.namespaces),
    patterns(one.clusters),
    switched(one.manualSync),
    switched(one.syncOverrun),
    one.timeZone || 'UTC',
    switched(one.andOperator),
    one.description ?? '',
  ]);
  return table(head, rows);
}

function addChanging(windows: Command, { open }: CliDeps): void {
  const add = windowFlags(windows.command('add <project>'))
    .description('add a sync window')
    .requiredOption('-k, --kind <kind>', 'allow or deny')
    .action(async (project: string, flags: WindowFlags) => {
      const { kind, schedule, duration, applications, namespaces, clusters } = flags;
      if (kind !== 'allow' && kind !== 'deny')
        throw new ExitError(usageExitCode, `unknown --kind ${kind}: use allow or deny`);
      if (!schedule || !duration)
        throw new ExitError(usageExitCode, 'a window needs --schedule and --duration');
      if (!applications && !namespaces && !clusters)
        throw new ExitError(usageExitCode, 'a window needs --applications, --namespaces or --clusters');
      const { session } = await open();
      const window: SyncWindow = { kind, ...windowOf(flags) };
      await editProject(session, project, (spec) => ({
        ...spec,
        syncWindows: [...(spec.syncWindows ?? []), window],
      }));
    });
  examples(
    add,
    'fairlead proj windows add team-a -k deny --schedule "0 22 * * *" --duration 8h --applications "*"',
    'fairlead proj windows add team-a -k allow --schedule "0 9 * * 1-5" --duration 8h --namespaces prod --manual-sync',
  );
  const update = windowFlags(windows.command('update <project> <id>'))
    .description('change a sync window; what no flag names stays')
    .action(async (project: string, id: string, flags: WindowFlags) => {
      const { session } = await open();
      await editProject(session, project, (spec) =>
        withWindow(spec, id, (one) => ({ ...one, ...windowOf(flags) })),
      );
    });
  examples(update, 'fairlead proj windows update team-a 0 --duration 4h');
  const remove = windows
    .command('delete <project> <id>')
    .description('delete a sync window')
    .action(async (project: string, id: string) => {
      const { session } = await open();
      await editProject(session, project, (spec) => withWindow(spec, id, () => undefined));
    });
  examples(remove, 'fairlead proj windows delete team-a 0');
}

/** The windows with the one of an id changed, or removed where nothing is returned. */
function withWindow(
  spec: ProjectSpec,
  id: string,
  change: (window: SyncWindow) => SyncWindow | undefined,
): ProjectSpec {
  const all = spec.syncWindows ?? [];
  const window = /^\d{1,6}$/.test(id) ? all[Number(id)] : undefined;
  if (!window) throw new ExitError(20, `the project has no sync window ${id}: see proj windows list`);
  const syncWindows = all.flatMap((one) => {
    const next = one === window ? change(one) : one;
    return next ? [next] : [];
  });
  return { ...spec, syncWindows };
}

function addSwitches(windows: Command, { open }: CliDeps): void {
  const switches = [
    ['enable-manual-sync', 'let users sync while a window forbids automated syncs', { manualSync: true }],
    ['disable-manual-sync', 'forbid also what users request', { manualSync: false }],
    [
      'enable-sync-overrun',
      'let a sync that has begun finish after the windows change',
      { syncOverrun: true },
    ],
    [
      'disable-sync-overrun',
      'stop a sync that has begun until the windows permit it',
      { syncOverrun: false },
    ],
    [
      'enable-use-and-operator',
      'require applications, namespaces and clusters to match all',
      { andOperator: true },
    ],
    [
      'disable-use-and-operator',
      'let any of applications, namespaces and clusters match',
      { andOperator: false },
    ],
  ] as const;
  for (const [name, text, change] of switches) {
    const command = windows
      .command(`${name} <project> <id>`)
      .description(text)
      .action(async (project: string, id: string) => {
        const { session } = await open();
        await editProject(session, project, (spec) => withWindow(spec, id, (one) => ({ ...one, ...change })));
      });
    examples(command, `fairlead proj windows ${name} team-a 0`);
  }
}
