import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { annotation, asKubeObject, type KubeObject, label } from '#base/model';
import { equal } from '#base/std';
import { hasReason, refOf } from '#kubernetes/client';
import { parseAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { pairsOf } from '../../input/flag-values.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, type Io } from '../../io.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';
import { backupObjects, exported, keyIn, labelOf } from './backup-objects.ts';

type ImportFlags = ClusterFlags & {
  dryRun?: boolean;
  prune?: boolean;
  ignoreTracking?: boolean;
  overrideOnConflict?: boolean;
  stopOperation?: boolean;
  verbose?: boolean;
  skipResourcesWithLabel?: string;
  applicationNamespaces?: string[];
  applicationsetNamespaces?: string[];
};

/** compat server §8.6: creates, updates and, with --prune, deletes until the cluster has what the backup has. */
export function addImport(admin: Command, deps: CliDeps): void {
  const command = reaching(admin.command('import <file>'))
    .description('restore the objects of a backup from a file or (-) standard input')
    .option('--dry-run', 'only say what would be done')
    .option('--prune', 'delete objects of the control plane that the backup does not have')
    .option('--ignore-tracking', 'keep the tracking annotation and label that live objects have')
    .option('--override-on-conflict', 'write again when another writer was faster')
    .option('--stop-operation', 'drop operations that were requested when the backup was made')
    .option('--skip-resources-with-label <name=value>', 'leave live objects with this label alone')
    .option(
      '--application-namespaces <pattern>',
      'namespaces with applications; may be repeated',
      collectList,
    )
    .option(
      '--applicationset-namespaces <pattern>',
      'namespaces with ApplicationSets; may be repeated',
      collectList,
    )
    .option('--verbose', 'print objects that stay as they are too')
    .action(async (file: string, flags: ImportFlags) => {
      const backup = await objectsIn(file, flags.namespace);
      await onCluster(deps, flags, (on) => restore(deps.io, on, backup, flags));
    });
  examples(
    command,
    'fairlead admin import backup.yaml --dry-run --verbose',
    'fairlead admin import backup.yaml --prune --stop-operation',
    'gpg -d backup.yaml.gpg | fairlead admin import -',
  );
}

const kinds: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Secret',
  'AppProject',
  'Application',
  'ApplicationSet',
]);

async function objectsIn(file: string, namespace: string): Promise<readonly KubeObject[]> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `${file} cannot be read: ${(error as Error).message}`);
  });
  const objects = parseAll(text, { name: file }).flatMap(({ value }) =>
    value === null ? [] : [asKubeObject(value, file)],
  );
  const other = objects.find(({ kind }) => !kinds.has(kind));
  if (other)
    throw new ExitError(
      20,
      `${labelOf(other, namespace)} in ${file} is no object of a backup: nothing was changed`,
    );
  return objects;
}

async function restore(
  io: Io,
  on: OnCluster,
  backup: readonly KubeObject[],
  flags: ImportFlags,
): Promise<void> {
  const { namespace } = flags;
  const live = await backupObjects(on, {
    namespace,
    applicationNamespaces: flags.applicationNamespaces ?? [],
    setNamespaces: flags.applicationsetNamespaces ?? [],
    isUpstream: false,
  });
  const known = new Map(live.map((object) => [keyIn(object, namespace), object]));
  const report = reporterOf(io, flags);
  for (const wanted of backup) {
    const before = known.get(keyIn(wanted, namespace));
    report(wanted, isSkipped(before, flags) ? 'skipped' : await write(on, { wanted, before }, flags));
  }
  const restored = new Set(backup.map((object) => keyIn(object, namespace)));
  const left = live.filter((one) => !restored.has(keyIn(one, namespace)) && !isSkipped(one, flags));
  for (const object of left) {
    if (flags.prune && !flags.dryRun) await on.kube.delete(on.ctx, refOf(object));
    report(object, flags.prune ? 'pruned' : 'needs pruning');
  }
}

/** One line for each object; for what stays as it is only where that is wanted. */
const reporterOf =
  (io: Io, { namespace, dryRun, verbose }: ImportFlags) =>
  (object: KubeObject, done: string): void => {
    if (done === 'unchanged' && !verbose) return;
    io.out(`${labelOf(object, namespace)} ${done}${dryRun ? ' (dry run)' : ''}\n`);
  };

function isSkipped(live: KubeObject | undefined, { skipResourcesWithLabel: text }: ImportFlags): boolean {
  if (!live || text === undefined) return false;
  return Object.entries(pairsOf([text])).every(([name, value]) => live.metadata.labels?.[name] === value);
}

type Pair = { readonly wanted: KubeObject; readonly before: KubeObject | undefined };

async function write(on: OnCluster, { wanted, before }: Pair, flags: ImportFlags): Promise<string> {
  const { ctx, kube } = on;
  const { namespace, dryRun } = flags;
  const next = merged(wanted, before, flags);
  if (!before) {
    if (!dryRun) await kube.create(ctx, next);
    return 'created';
  }
  if (equal(exported(next, namespace), exported(before, namespace))) return 'unchanged';
  if (!dryRun) {
    await kube.update(ctx, next).catch(async (error: unknown) => {
      if (!flags.overrideOnConflict || !hasReason(error, 'Conflict')) throw error;
      const { resourceVersion } = (await kube.get(ctx, refOf(before))).metadata;
      return kube.update(ctx, {
        ...next,
        metadata: { ...next.metadata, ...(resourceVersion && { resourceVersion }) },
      });
    });
  }
  return 'updated';
}

/** The object as it is written: names and contents of the backup, identity and version of the live one. */
function merged(wanted: KubeObject, before: KubeObject | undefined, flags: ImportFlags): KubeObject {
  const { operation, ...rest } = wanted as KubeObject & { operation?: unknown };
  const { uid, resourceVersion, creationTimestamp } = before?.metadata ?? {};
  const { labels, annotations, ...metadata } = wanted.metadata;
  return {
    ...rest,
    ...(operation !== undefined && !flags.stopOperation && { operation }),
    metadata: {
      ...metadata,
      namespace: metadata.namespace ?? flags.namespace,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
      ...tracked('labels', labels, before?.metadata.labels, flags),
      ...tracked('annotations', annotations, before?.metadata.annotations, flags),
    },
  } as KubeObject;
}

type Marks = Readonly<Record<string, string>>;
const tracking: readonly string[] = [annotation.trackingId, label.instance];

function tracked(
  key: 'labels' | 'annotations',
  wanted: Marks | undefined,
  before: Marks | undefined,
  { ignoreTracking }: ImportFlags,
) {
  const kept = ignoreTracking
    ? Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => tracking.includes(name)))
    : {};
  const marks = { ...wanted, ...kept };
  return Object.keys(marks).length > 0 ? { [key]: marks } : {};
}
