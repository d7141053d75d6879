import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Application } from '#base/model';
import { parseJson, printJson } from '#base/std';
import { unifiedDiff } from '#engine';
import { print } from '#lang/yaml';
import { applications, type ManagedResource } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, type Io } from '../../io.ts';
import { paintDiff, paintFor } from '../../output/colour.ts';
import type { Session } from '../../session/session.ts';
import { namespaced, type ReadFlags, refOfName, refreshOf } from './app-flags.ts';
import { localManifests } from './load-local-manifests.ts';
import type { LocalFlags } from './local-manifests.ts';
import { positionsOf, type RevisionFlags } from './revision-flags.ts';

type DiffFlags = ReadFlags &
  LocalFlags &
  RevisionFlags & {
    exitCode: boolean;
    diffExitCode: string;
    serverSideDiff?: boolean;
    serverSideGenerate?: boolean;
    serverSide?: boolean;
    localInclude?: string[];
    ignoreNormalizerJqExecutionTimeout?: string;
    serverSideDiffMaxBatchKb?: string;
    serverSideDiffConcurrency?: string;
  };

export function addDiff(app: Command, deps: CliDeps): void {
  const diff = namespaced(app.command('diff <name>'))
    .description('show how the live objects differ from what Git declares; exit code 1 when they do')
    .option('--refresh', 'fetch from Git again first')
    .option('--hard-refresh', 'fetch from Git and render again first, without caches')
    .option('--local <dir>', 'compare with the manifests of this folder, rendered on this machine')
    .option(
      '--local-repo-root <dir>',
      'the root of the repository that has the folder (default: where .git is)',
    )
    .option('--revision <rev>', 'compare with another revision')
    .option('--revisions <rev>', 'of several sources, a revision for each of --source-positions', collectList)
    .option(
      '--source-positions <number>',
      'the sources that --revisions is about; the first is 1',
      collectList,
    )
    .option('--source-names <name>', 'the same, by name', collectList)
    .option('--server-side-diff', 'have the cluster predict the result in a dry run')
    .option('--server-side-generate', 'accepted: --local renders here with the engines of the server')
    .option('--server-side', 'the same as --server-side-generate')
    .option('--exit-code', 'end with an exit code when there are differences', true)
    .option('--diff-exit-code <code>', 'the exit code for differences', '1')
    .addOption(silently(app, '--local-include <glob>'))
    .addOption(silently(app, '--ignore-normalizer-jq-execution-timeout <duration>'))
    .addOption(silently(app, '--server-side-diff-max-batch-kb <size>'))
    .addOption(silently(app, '--server-side-diff-concurrency <count>'))
    .action(async (name: string, flags: DiffFlags) => {
      const { io, session } = await deps.open();
      reportWithoutEffect(io, flags);
      const { params, query } = refOfName(name, flags);
      const refresh = refreshOf(flags);
      const found = await session.call(applications.get, { params, query: { ...query, refresh } });
      const remarks: string[] = [];
      const err = (text: string) => void remarks.push(text);
      const items = await comparedItems({ ...deps, io: { ...io, err } }, session, found, flags);
      const changed = items.filter((one) => one.modified && !one.hook);
      // server §8.2: the pipelines of users take any output for a difference
      if (changed.length > 0 || io.isTerminal) for (const remark of remarks) io.err(remark);
      await show(io, changed);
      if (changed.length > 0 && flags.exitCode)
        throw new ExitError(wholeNumber('--diff-exit-code', flags.diffExitCode), '');
    });
  examples(
    diff,
    'fairlead app diff guestbook',
    'fairlead app diff guestbook --local ./k8s/overlays/staging',
    'fairlead app diff guestbook --revision my-branch --exit-code=false',
    'KUBECTL_EXTERNAL_DIFF="diff -u" fairlead app diff guestbook',
  );
}

/** A flag of the peer that changes nothing here. */
const silently = (app: Command, flags: string) => app.createOption(flags).hideHelp();

function reportWithoutEffect(io: Io, flags: DiffFlags): void {
  const notes = {
    localInclude: '--local-include has no effect: every file below --local is read, and none is sent',
    serverSideDiffMaxBatchKb: '--server-side-diff-max-batch-kb has no effect: requests are not split',
    serverSideDiffConcurrency: '--server-side-diff-concurrency has no effect: requests are not split',
    ignoreNormalizerJqExecutionTimeout:
      '--ignore-normalizer-jq-execution-timeout has no effect: the server compares, with its own limit',
  } as const;
  for (const [key, note] of Object.entries(notes)) if (key in flags) io.err(`note: ${note}\n`);
}

async function comparedItems(
  deps: CliDeps,
  session: Session,
  app: Application,
  flags: DiffFlags,
): Promise<readonly ManagedResource[]> {
  const { params, query } = refOfName(`${app.metadata.namespace}/${app.metadata.name}`, flags);
  const { revision, revisions, serverSideDiff: serverSide } = flags;
  const isLocal = flags.local !== undefined;
  if (!isLocal && !revision && !revisions && !serverSide) {
    failIfUnknown(app);
    return (await session.call(applications.managedResources, { params, query })).items;
  }
  const manifests = isLocal
    ? (await localManifests(deps, session, app, flags)).map((object) => printJson(object))
    : undefined;
  const { items } = await session.call(applications.compare, {
    params,
    body: {
      ...query,
      ...(manifests && { manifests }),
      ...(revision && { revision }),
      ...(revisions && { revisions, sourcePositions: positionsOf(app, flags) }),
      ...(serverSide && { serverSide }),
    },
  });
  return items;
}

/** The desired state is unknown, so the differences are too: an empty output would mean none. */
function failIfUnknown({ status }: Application): void {
  if (status?.sync?.status !== 'Unknown') return;
  const errors = (status.conditions ?? []).filter(({ type }) => type.endsWith('Error'));
  if (errors.length > 0) throw new ExitError(20, errors.map(({ message }) => message).join('; '));
}

const headerOf = ({ group = '', kind, namespace = '', name }: ManagedResource): string =>
  `===== ${group}/${kind} ${namespace}/${name} ======`;

const sidesOf = (item: ManagedResource): readonly [unknown, unknown] => [
  parseJson(item.normalizedLiveState || item.liveState),
  parseJson(item.predictedLiveState || item.targetState),
];

/** compat server §8.5: a header per resource, then the change that a sync would make. */
async function show(io: Io, items: readonly ManagedResource[]): Promise<void> {
  const external = io.env.KUBECTL_EXTERNAL_DIFF;
  const paint = paintFor(io);
  for (const item of items) {
    const [live, target] = sidesOf(item);
    if (external && io.interact) {
      io.out(`${headerOf(item)}\n`);
      await showExternally(io, external, { name: item.name, live, target });
    } else io.out(`${paintDiff(`${headerOf(item)}\n${unifiedDiff(live, target)}`, paint)}\n`);
  }
}

type Sides = { readonly name: string; readonly live: unknown; readonly target: unknown };

/** compat: the program of KUBECTL_EXTERNAL_DIFF gets two files; that it finds differences is no failure. */
async function showExternally(io: Io, program: string, { name, live, target }: Sides): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-diff-'));
  const base = name.replaceAll(/[^\w.-]/g, '_');
  const files = [join(folder, `${base}-live.yaml`), join(folder, `${base}.yaml`)] as const;
  try {
    const text = (side: unknown): string => (side === null || side === undefined ? '' : print(side));
    await writeFile(files[0], text(live), { mode: 0o600 });
    await writeFile(files[1], text(target), { mode: 0o600 });
    const [command = 'diff', ...args] = program.split(/\s+/);
    const code = await io.interact?.(command, [...args, ...files]);
    if (code !== undefined && code > 1) throw new ExitError(20, `${program} ended with ${code}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
