import type { Command } from 'commander';
import { type Application, type KubeObject, matches, parseSelector } from '#base/model';
import { parseJson, printJson } from '#base/std';
import { applications, type SyncRequest } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { arePromptsEnabled, isAgreed } from '../../input/confirm.ts';
import { examples } from '../../input/examples.ts';
import { given, unlessEmpty, wholeNumber } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { finalState } from '../../output/final-state.ts';
import { printAs } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';
import { type ApplicationRef, namespaced, refOfName } from './app-flags.ts';
import { localManifests } from './load-local-manifests.ts';
import type { LocalFlags } from './local-manifests.ts';
import { type ChosenFlags, chosenNames } from './names.ts';
import { selectedResources } from './resource-patterns.ts';
import { positionsOf, type RevisionFlags } from './revision-flags.ts';
import { waitFor } from './wait.ts';

type SyncFlags = ChosenFlags &
  RevisionFlags &
  LocalFlags & {
    prune?: boolean;
    dryRun?: boolean;
    force?: boolean;
    strategy?: string;
    resource?: string[];
    label?: string[];
    replace?: boolean;
    serverSide?: boolean;
    applyOutOfSyncOnly?: boolean;
    async?: boolean;
    timeout: string;
    info?: string[];
    previewChanges?: boolean;
    assumeYes?: boolean;
    retryLimit?: string;
    retryBackoffDuration?: string;
    retryBackoffMaxDuration?: string;
    retryBackoffFactor?: string;
    retryRefresh?: boolean;
    output: string;
  };

export function addSync(app: Command, deps: CliDeps): void {
  const sync = namespaced(app.command('sync [name...]'))
    .description('bring the live objects to what Git declares, and wait for it')
    .option('-l, --selector <labels>', 'every application with these labels')
    .option('--project <name>', 'every application of this project; may be repeated', collectList)
    .option('--revision <rev>', 'a revision other than the tracked one')
    .option('--revisions <rev>', 'of several sources, a revision for each of --source-positions', collectList)
    .option(
      '--source-positions <number>',
      'the sources that --revisions is about; the first is 1',
      collectList,
    )
    .option('--source-names <name>', 'the same, by name', collectList)
    .option('--prune', 'delete what Git no longer declares')
    .option('--dry-run', 'only say what would be done')
    .option('--force', 'delete and create again what cannot be changed (has nothing to do with sync windows)')
    .option('--strategy <name>', 'apply (no hooks) or hook')
    .option(
      '--resource <group:kind:name>',
      'only these; * in any part, ! before it excludes; may be repeated',
      collect,
    )
    .option('--label <name=value>', 'only resources with this label; may be repeated', collect)
    .option('--replace', 'replace instead of apply')
    .option('--server-side', 'server-side apply')
    .option('--apply-out-of-sync-only', 'leave alone what is in sync')
    .option('--local <dir>', 'the manifests of this folder instead of those in Git')
    .option('--local-repo-root <dir>', 'the root of the repository that has the folder')
    .option('--preview-changes', 'show what would change, and prompt before the sync')
    .option('--assumeYes', 'answer that prompt with yes')
    .option('--async', 'do not wait')
    .option('--timeout <seconds>', 'give up waiting after this long; 0 never', '0')
    .option('--info <name=value>', 'a note for the record; may be repeated', collect)
    .option('--retry-limit <count>', 'how often a failed sync is repeated; negative: without end')
    .option('--retry-backoff-duration <duration>', 'the pause before the first repetition')
    .option('--retry-backoff-max-duration <duration>', 'the longest pause')
    .option('--retry-backoff-factor <number>', 'by how much each pause is longer than the one before')
    .option('--retry-refresh', 'a repetition uses the newest revision')
    .option('-o, --output <format>', 'wide, tree, json or yaml', 'wide')
    .action(async (names: string[], flags: SyncFlags) => {
      const { session } = await deps.open();
      const chosen = await chosenNames(session, names, flags);
      const failures: ExitError[] = [];
      for (const name of chosen) {
        await syncOne(deps, session, refOfName(name, flags), flags).catch((error: unknown) => {
          if (!(error instanceof ExitError) || chosen.length === 1) throw error;
          failures.push(new ExitError(error.exitCode, `${name}: ${error.message}`));
        });
      }
      if (failures.length > 0)
        throw new ExitError(failures[0]?.exitCode ?? 1, failures.map(({ message }) => message).join('; '));
    });
  examples(
    sync,
    'fairlead app sync guestbook',
    'fairlead app sync guestbook --prune --timeout 300',
    "fairlead app sync guestbook --resource 'apps:Deployment:*' --resource '!apps:Deployment:legacy'",
    'fairlead app sync -l team=payments --async',
    'fairlead app sync guestbook --preview-changes',
  );
}

async function syncOne(
  deps: CliDeps,
  session: Session,
  ref: ApplicationRef,
  flags: SyncFlags,
): Promise<void> {
  const { io, signal } = deps;
  const body = await requestOf(deps, session, ref, flags);
  if (flags.previewChanges && !(await isPreviewAgreed(deps, session, ref, flags))) return;
  await session.call(applications.sync, { ...ref, body });
  if (flags.async) return;
  const isWide = flags.output === 'wide' || flags.output === 'tree';
  const timeout = wholeNumber('--timeout', flags.timeout);
  const done = await waitFor({ io, session, signal, ref, timeout, isVerbose: isWide }, { operation: true });
  if (!done) return;
  io.out(isWide ? finalState(done, session.origin) : printAs(flags.output, done));
  failUnlessDone(done, flags);
}

/** compat server §8.4: the differences, then a prompt, which a pipe may answer too. */
async function isPreviewAgreed(
  deps: CliDeps,
  session: Session,
  ref: ApplicationRef,
  { assumeYes }: SyncFlags,
): Promise<boolean> {
  const { io } = deps;
  const { items } = await session.call(applications.managedResources, ref);
  const changed = items.filter(({ modified, hook }) => modified && !hook);
  if (changed.length === 0) io.out('There are no differences.\n');
  for (const { group = '', kind, namespace = '', name, fields = [] } of changed) {
    io.out(`===== ${group}/${kind} ${namespace}/${name} ======\n`);
    for (const { path, live, target } of fields)
      io.out(`${path}: ${printJson(live)} -> ${printJson(target)}\n`);
  }
  if (assumeYes || !(await arePromptsEnabled(deps))) return true;
  return isAgreed(await io.prompt('Do you want to continue with the sync? [y/n] '));
}

/** compat server §8.1: a sync that failed, or left something to prune, ends with 1. */
export function failUnlessDone(
  app: Application,
  { dryRun, prune }: { dryRun?: boolean; prune?: boolean },
): void {
  const { phase, syncResult } = app.status?.operationState ?? {};
  if (phase !== 'Succeeded') throw new ExitError(1, `the operation has ended as ${phase}`);
  const left = (syncResult?.resources ?? []).filter(
    (r) => r.status === 'PruneSkipped' && !r.message?.includes('no prune'),
  );
  if (left.length > 0 && !dryRun && !prune)
    throw new ExitError(1, `${left.length} resources require pruning: sync with --prune to delete them`);
}

async function requestOf(
  deps: CliDeps,
  session: Session,
  ref: ApplicationRef,
  flags: SyncFlags,
): Promise<SyncRequest> {
  const { revision, revisions, resource, label, local, info } = flags;
  const needsApp = resource !== undefined || revisions !== undefined || local !== undefined;
  const app = needsApp ? await session.call(applications.get, ref) : undefined;
  const options = optionsOf(flags);
  const labelled = label ? await labelledResources(session, ref, label) : [];
  const named = resource && app ? selectedResources(app, resource) : [];
  const manifests =
    local !== undefined && app
      ? (await localManifests(deps, session, app, flags)).map((one) => printJson(one))
      : undefined;
  return {
    prune: flags.prune === true,
    dryRun: flags.dryRun === true,
    strategy: strategyOf(flags),
    ...given({
      revision,
      revisions,
      sourcePositions: revisions && app ? positionsOf(app, flags) : undefined,
      resources: resource || label ? [...named, ...labelled] : undefined,
      syncOptions: options.length > 0 ? { items: options } : undefined,
      infos: info?.map(infoOf),
      retryStrategy: retryOf(flags),
      manifests,
    }),
  };
}

const optionsOf = (flags: SyncFlags): string[] =>
  [
    flags.replace && 'Replace=true',
    flags.serverSide && 'ServerSideApply=true',
    flags.applyOutOfSyncOnly && 'ApplyOutOfSyncOnly=true',
  ].filter((option) => typeof option === 'string');

function strategyOf({ strategy = 'hook', force: isForced }: SyncFlags): NonNullable<SyncRequest['strategy']> {
  const force = isForced ? { force: true } : {};
  if (strategy === 'apply') return { apply: force };
  if (strategy === 'hook' || strategy === '') return { hook: force };
  throw new ExitError(usageExitCode, `unknown --strategy ${strategy}: use apply or hook`);
}

/** compat server §8.4: a limit of 0 means no repetition, a negative one no end. */
function retryOf(flags: SyncFlags): SyncRequest['retryStrategy'] {
  const { retryLimit, retryBackoffFactor: factor } = flags;
  const backoff = given({
    duration: flags.retryBackoffDuration,
    maxDuration: flags.retryBackoffMaxDuration,
    factor: factor === undefined ? undefined : wholeNumber('--retry-backoff-factor', factor),
  });
  const strategy = given({
    limit: retryLimit === undefined ? undefined : wholeNumber('--retry-limit', retryLimit),
    refresh: flags.retryRefresh,
    backoff: unlessEmpty(backoff),
  });
  if (Object.keys(strategy).length === 0) return undefined;
  if (strategy.limit === undefined)
    throw new ExitError(usageExitCode, 'the flags about repetitions need --retry-limit');
  return strategy;
}

/** The resources whose manifest has all of these labels. */
async function labelledResources(
  session: Session,
  ref: ApplicationRef,
  labels: readonly string[],
): Promise<NonNullable<SyncRequest['resources']>> {
  const selector = parseSelector(labels.join(','));
  const { manifests, namespace: fallback } = await session.call(applications.manifests, ref);
  const objects = manifests.map((text) => parseJson(text) as KubeObject);
  const found = objects.filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
  if (found.length === 0)
    throw new ExitError(
      20,
      `no resource of application '${ref.params.name}' has the label ${labels.join(',')}`,
    );
  return found.map(({ apiVersion, kind, metadata: { name, namespace = fallback } }) => ({
    group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
    ...{ kind, name, namespace },
  }));
}

function infoOf(text: string) {
  const at = text.indexOf('=');
  if (at < 1) throw new ExitError(usageExitCode, `--info ${text}: want name=value`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
