import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type ApplicationSpec, effectiveSources, type RetryStrategy, type Source } from '#base/model';
import { readSyncOptions } from '#engine';
import { given, unlessEmpty, wholeNumber } from '../../input/flag-values.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, type Io, usageExitCode } from '../../io.ts';
import { addSourceFlags, type SourceFlags, withSourceFlags } from './source-flags.ts';

/** Where a source is, with the names of `argocd app create`. */
export type OriginFlags = SourceFlags & {
  repo?: string;
  path?: string;
  revision?: string;
  helmChart?: string;
  ref?: string;
  tagPrefix?: string;
  sourceName?: string;
};

/** Flags that set the fields of an Application's spec. */
export type SpecFlags = OriginFlags & {
  project?: string;
  destServer?: string;
  destName?: string;
  destNamespace?: string;
  syncPolicy?: string;
  autoPrune?: boolean;
  selfHeal?: boolean;
  allowEmpty?: boolean;
  syncOption?: string[];
  syncRetryLimit?: string;
  syncRetryBackoffDuration?: string;
  syncRetryBackoffMaxDuration?: string;
  syncRetryBackoffFactor?: string;
  syncRetryRefresh?: boolean;
  revisionHistoryLimit?: string;
};

export function addOriginFlags(command: Command): Command {
  return addSourceFlags(command)
    .option('--repo <url>', 'the Git repository, chart repository or registry')
    .option('--path <dir>', 'the folder in it')
    .option('--revision <rev>', 'branch, tag, commit or chart version to track')
    .option('--helm-chart <name>', 'the chart in a chart repository')
    .option(
      '--values-literal-file <file>',
      'a file of this machine with Helm values, kept in the Application',
    )
    .option(
      '--tag-prefix <text>',
      'what tags begin with that a version constraint in --revision chooses from',
    )
    .option('--ref <name>', 'the name that value files of other sources use for this one')
    .option('--source-name <name>', 'the name of the source');
}

export function addSpecFlags(command: Command): Command {
  return addOriginFlags(command)
    .option('--project <name>', 'the project it belongs to')
    .option('--dest-server <url>', 'the cluster, by address')
    .option('--dest-name <name>', 'the cluster, by name')
    .option('--dest-namespace <namespace>', 'where objects without a namespace go')
    .option('--sync-policy <policy>', 'none, manual, automated or auto')
    .option('--auto-prune', 'automated sync also deletes')
    .option('--self-heal', 'automated sync also undoes drift')
    .option('--allow-empty', 'automated sync may delete everything')
    .option(
      '--sync-option <option>',
      'for example CreateNamespace=true; !Name removes one; may be repeated',
      collectList,
    )
    .option('--sync-retry-limit <count>', 'how often a failed sync is repeated; negative: without end')
    .option('--sync-retry-backoff-duration <duration>', 'the pause before the first repetition')
    .option('--sync-retry-backoff-max-duration <duration>', 'the longest pause')
    .option('--sync-retry-backoff-factor <number>', 'by how much each pause is longer than the one before')
    .option('--sync-retry-refresh', 'a repetition uses the newest revision')
    .option('--revision-history-limit <count>', 'how many deployments are kept');
}

/** Reads the files of this machine that the flags name. */
export async function readLiteralValues<T extends SourceFlags>(flags: T): Promise<T> {
  const { valuesLiteralFile: file } = flags;
  if (file === undefined) return flags;
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `--values-literal-file ${file} cannot be read: ${(error as Error).message}`);
  });
  return { ...flags, valuesLiteralFile: text };
}

/** engine S-51: an unknown option is stored and has no effect. */
export function warnOfOptions({ err }: Pick<Io, 'err'>, { syncOption = [] }: SpecFlags): void {
  const { unknown } = readSyncOptions(syncOption.filter((option) => !option.startsWith('!')));
  for (const option of unknown) err(`warning: the sync option ${option} is not known and has no effect\n`);
}

export function withOriginFlags(source: Source, flags: OriginFlags): Source {
  const { repo, path, revision, helmChart, ref, tagPrefix, sourceName } = flags;
  const origin = given({
    repoURL: repo,
    path,
    targetRevision: revision,
    chart: helmChart,
    ref,
    tagPrefix,
    name: sourceName,
  });
  return withSourceFlags({ ...source, ...origin }, flags);
}

type SpecChange = { readonly spec: ApplicationSpec; readonly position: number };

/** The spec with the values of the flags; `position` is the index of the source that they are about. */
export function withSpecFlags({ spec, position }: SpecChange, flags: SpecFlags): ApplicationSpec {
  const { destServer, destName, destNamespace } = flags;
  const { server, name, ...destination } = spec.destination;
  const target = given({
    server: destServer ?? (destName === undefined ? server : undefined),
    name: destName ?? (destServer === undefined ? name : undefined),
    namespace: destNamespace ?? destination.namespace,
  });
  const policy = policyOf(spec.syncPolicy, flags);
  const { syncPolicy: _before, ...rest } = withSource(spec, position, flags);
  return {
    ...rest,
    destination: target,
    ...given({
      project: flags.project ?? spec.project,
      revisionHistoryLimit:
        flags.revisionHistoryLimit === undefined
          ? spec.revisionHistoryLimit
          : wholeNumber('--revision-history-limit', flags.revisionHistoryLimit),
      syncPolicy: policy,
    }),
  };
}

function withSource(spec: ApplicationSpec, position: number, flags: SpecFlags): ApplicationSpec {
  const source = effectiveSources(spec)[position] ?? { repoURL: '' };
  const changed = withOriginFlags(source, flags);
  if (spec.sources?.length)
    return { ...spec, sources: spec.sources.map((one, at) => (at === position ? changed : one)) };
  return { ...spec, source: changed };
}

type SyncPolicy = NonNullable<ApplicationSpec['syncPolicy']>;

function policyOf(before: SyncPolicy | undefined, flags: SpecFlags): SyncPolicy | undefined {
  const automated = automatedOf(before?.automated, flags);
  const { automated: _automated, retry: retryBefore, syncOptions, ...rest } = before ?? {};
  const options = flags.syncOption ? withOptions(syncOptions, flags.syncOption) : syncOptions;
  const policy = {
    ...rest,
    ...given({
      automated,
      syncOptions: options?.length ? options : undefined,
      retry: retryOf(retryBefore, flags),
    }),
  };
  return before ? policy : unlessEmpty(policy);
}

function automatedOf(before: SyncPolicy['automated'], flags: SpecFlags): SyncPolicy['automated'] {
  const { syncPolicy, autoPrune: prune, selfHeal, allowEmpty } = flags;
  if (syncPolicy && !['none', 'manual', 'automated', 'auto'].includes(syncPolicy)) {
    throw new ExitError(
      usageExitCode,
      `unknown sync policy ${syncPolicy}: use none, manual, automated or auto`,
    );
  }
  if (syncPolicy === 'none' || syncPolicy === 'manual') return undefined;
  const wanted = given({ prune, selfHeal, allowEmpty });
  if (syncPolicy) return { ...before, ...wanted };
  const isChanged = Object.keys(wanted).length > 0;
  if (isChanged && !before && Object.values(wanted).some(Boolean)) {
    throw new ExitError(
      usageExitCode,
      '--auto-prune, --self-heal and --allow-empty are about automated sync: add --sync-policy automated',
    );
  }
  return before && { ...before, ...wanted };
}

/** compat: an option replaces the one of the same name, `!Name` removes it. */
function withOptions(before: readonly string[] = [], next: readonly string[]): string[] {
  const nameOf = (option: string): string => option.replace(/^!/, '').split('=')[0] ?? '';
  const names = new Set(next.map(nameOf));
  return [...before.filter((one) => !names.has(nameOf(one))), ...next.filter((one) => !one.startsWith('!'))];
}

function retryOf(before: RetryStrategy | undefined, flags: SpecFlags): RetryStrategy | undefined {
  const { syncRetryLimit: limit, syncRetryBackoffFactor: factor } = flags;
  const backoff = given({
    duration: flags.syncRetryBackoffDuration,
    maxDuration: flags.syncRetryBackoffMaxDuration,
    factor: factor === undefined ? undefined : wholeNumber('--sync-retry-backoff-factor', factor),
  });
  const change = given({
    limit: limit === undefined ? undefined : wholeNumber('--sync-retry-limit', limit),
    refresh: flags.syncRetryRefresh,
    backoff: unlessEmpty(backoff) && { ...before?.backoff, ...backoff },
  });
  if (change.limit === 0) return undefined;
  return unlessEmpty({ ...before, ...change });
}
