import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HelmOptions } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { inSteps } from '#platform/workers';
import {
  type FileArgument,
  type HelmArgument,
  type HelmContext,
  type HelmPlan,
  planHelm,
  readManifests,
} from '#sources/render';
import { type FetchedChart, fetchDependencies, placeDependencies } from './chart-dependencies.ts';
import type { EngineRun, Engines, Workspace } from './engine.ts';
import type { Output, RecordedTree } from './output.ts';
import type { Web } from './web.ts';

export type HelmJob = {
  readonly path: string;
  readonly options: HelmOptions;
  readonly context: Omit<HelmContext, 'refs'>;
  readonly web: Web;
};

/** Trees by name: the source's own under '', others under the name of their `$ref`. */
export type WatchedTrees = ReadonlyMap<string, RecordedTree>;

/** Renders a chart with helm, which sees the chart, the charts it names and the value files. */
export async function renderHelm(
  ctx: Ctx,
  engines: Engines,
  trees: WatchedTrees,
  { path, options, context, web }: HelmJob,
): Promise<Output> {
  const tree = trees.get('');
  if (!tree) throw new FairleadError('Internal', 'a chart was to be rendered without its tree');
  const refs = new Map(
    [...trees].filter(([name]) => name !== '').map(([name, { requested }]) => [name, requested]),
  );
  const plan = await planHelm(tree.requested, path, options, { ...context, refs });
  const tool = await engines.tool(ctx, 'helm');
  const shown = `helm template ${path || '.'}`;
  const job = { trees, plan, tool, dir: path, shown };
  const text = await template(ctx, engines, job).catch(async (error: unknown) => {
    if (!isIncomplete(error)) throw error;
    // compat sources HDP-1: first without its dependencies; they are put in place only when charts are missing
    const fetched = await fetchDependencies(ctx, plan, { dir: path, web });
    return template(ctx, engines, { ...job, fetched });
  });
  const limits = { bytes: engines.limits.outputBytes };
  return {
    objects: await inSteps(readManifests(text, `output of ${shown}`, limits)),
    commands: [reported(plan, path)],
    warnings: [],
  };
}

type Template = {
  readonly trees: WatchedTrees;
  readonly plan: HelmPlan;
  readonly tool: EngineRun['tool'];
  readonly dir: string;
  readonly shown: string;
  /** The charts it depends on, put in place first; left out: it is rendered without them. */
  readonly fetched?: readonly FetchedChart[];
};

const isIncomplete = (error: unknown): boolean =>
  error instanceof FairleadError && error.message.includes('missing in charts/ directory');

async function template(ctx: Ctx, engines: Engines, job: Template): Promise<string> {
  const { trees, plan, tool, dir, shown, fetched } = job;
  return engines.inWorkspace(ctx, async (workspace) => {
    await place(trees, plan, workspace);
    const run = { tool, args: plan.args.map((argument) => word(argument, workspace)), dir, shown };
    if (fetched) await placeDependencies(ctx, engines, workspace, { run, plan, fetched });
    try {
      return await engines.run(ctx, workspace, run);
    } catch (error) {
      if (!(error instanceof FairleadError) || !unparsed.test(error.message)) throw error;
      throw await named(ctx, engines, workspace, { run, error });
    }
  });
}

const unparsed = /failed parsing (--set(?:-string|-file)?) data/;
const mostTried = 50;

/**
 * sources HLM-2: helm reports that a parameter cannot be parsed and not which; each is tried alone until one fails
 * alike.
 */
async function named(
  ctx: Ctx,
  engines: Engines,
  workspace: Workspace,
  { run, error }: { readonly run: EngineRun; readonly error: FairleadError },
): Promise<FairleadError> {
  const flag = unparsed.exec(error.message)?.[1];
  const values = run.args.filter((_word, at) => run.args[at - 1] === flag).slice(0, mostTried);
  for (const value of values) {
    const args = ['template', '.', '--name-template', 'x', flag ?? '', value];
    const failure = await engines.run(ctx, workspace, { ...run, args }).catch((thrown: unknown) => thrown);
    if (failure instanceof FairleadError && unparsed.test(failure.message)) {
      return new FairleadError(
        error.code,
        `helm parameter "${value.replace(/=.*$/s, '')}": ${failure.message}`,
        error,
      );
    }
  }
  return error;
}

/** Puts every file where its argument points. */
async function place(trees: WatchedTrees, plan: HelmPlan, workspace: Workspace): Promise<void> {
  const named = plan.args.filter((argument) => typeof argument !== 'string').map(({ file }) => file);
  for (const [name, tree] of trees) {
    const files = named.flatMap((file) => ('tree' in file && file.tree === name ? [file.path] : []));
    const folders = name === '' ? plan.folders : [];
    if (files.length + folders.length === 0) continue;
    await workspace.materialize(tree, { files, folders }, rootOf(name, workspace));
  }
  for (const file of named) {
    if ('text' in file) await writeText(join(workspace.extra, file.name), file.text);
  }
}

async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o400 });
}

const rootOf = (tree: string, { files, extra }: Workspace): string =>
  tree === '' ? files : join(extra, `$${tree}`);

function word(argument: HelmArgument, workspace: Workspace): string {
  if (typeof argument === 'string') return argument;
  const { file, as, prefix } = argument;
  const path =
    'tree' in file ? join(rootOf(file.tree, workspace), file.path) : join(workspace.extra, file.name);
  // helm splits both at commas; a file whose name holds one must not become two
  return as === 'values' ? csv(path) : `${prefix}${path.replace(/[\\,]/g, '\\$&')}`;
}

const csv = (path: string): string => (/[",\s]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path);

/** The command as a person would type it; values of parameters may be secret and are left out. */
function reported({ args }: HelmPlan, path: string): string {
  const words = args.map((argument, at) => {
    if (typeof argument !== 'string') return shownFile(argument);
    const before = args[at - 1];
    if (before === '--set' || before === '--set-string') return argument.replace(/=.*$/s, '=***');
    return argument === '.' && before === 'template' ? path || '.' : argument;
  });
  return `helm ${words.map(quoted).join(' ')}`;
}

function shownFile({ file, prefix }: FileArgument): string {
  if (!('tree' in file)) return `${prefix}${file.name}`;
  return `${prefix}${file.tree === '' ? '' : `$${file.tree}/`}${file.path}`;
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./$*-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
