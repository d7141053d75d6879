import {
  type Application,
  effectiveSources,
  type Health,
  type ResourceResult,
  type ResourceStatus,
  type Source,
} from '#base/model';
import { printJson } from '#base/std';
import { print } from '#lang/yaml';
import type { ResourceTree, SyncWindows } from '#serve/api';
import { ExitError, usageExitCode } from '../io.ts';
import { headlineOf } from './problem.ts';
import { facts, table } from './table.ts';
import {
  conditionsInWords,
  healthInWords,
  nameOf,
  policyInWords,
  policyOf,
  syncInWords,
  windowsInWords,
} from './words.ts';

export function applicationTable(apps: readonly Application[]): string {
  const head = 'NAME CLUSTER NAMESPACE PROJECT STATUS HEALTH SYNCPOLICY CONDITIONS REPO PATH TARGET'.split(
    ' ',
  );
  return table(
    head,
    apps.map((app) => {
      const source = effectiveSources(app.spec)[0];
      const { destination, project = 'default' } = app.spec;
      return [
        nameOf(app),
        destination.server ?? destination.name ?? '',
        destination.namespace ?? '',
        project,
        app.status?.sync?.status ?? 'Unknown',
        healthInWords(app),
        policyOf(app),
        conditionsInWords(app),
        source?.repoURL ?? '',
        source?.path ?? '',
        source?.targetRevision ?? '',
      ];
    }),
  );
}

export function applicationFacts(app: Application, origin: string, windows: SyncWindows = {}): string {
  const { destination, project = 'default' } = app.spec;
  const headline = headlineOf(app);
  const head = facts([
    ...(headline ? [[headline.label, headline.text] as const] : []),
    ['Name', nameOf(app)],
    ['Project', project],
    ['Server', destination.server ?? destination.name ?? ''],
    ['Namespace', destination.namespace ?? ''],
    ['URL', `${origin}/applications/${nameOf(app)}`],
  ]);
  const sources = effectiveSources(app.spec).map(
    ({ repoURL, targetRevision = '', path }) =>
      `- Repo:             ${repoURL}\n  Target:           ${targetRevision}\n${path ? `  Path:             ${path}\n` : ''}`,
  );
  const tail = facts([
    ...windowsInWords(app, windows),
    ['Sync Policy', policyInWords(app)],
    ['Sync Status', syncInWords(app)],
    ['Health Status', [healthInWords(app), app.status?.health?.message].filter(Boolean).join(' ')],
  ]);
  return `${head}Source:\n${sources.join('')}${tail}`;
}

/** What a source overrides: parameters of a chart, images of a kustomization, variables of a plugin. */
export function parameterTable({ helm, kustomize, plugin }: Source): string {
  const rows = [
    ...(helm?.parameters ?? []).map(({ name = '', value = '' }) => [name, value]),
    ...(helm?.fileParameters ?? []).map(({ name = '', path = '' }) => [name, path]),
    ...(helm?.valueFiles ?? []).map((file) => ['values', file]),
    ...(kustomize?.images ?? []).map((image) => ['image', image]),
    ...(kustomize?.replicas ?? []).map(({ name, count }) => [`replicas ${name}`, String(count)]),
    ...(plugin?.env ?? []).map(({ name, value }) => [name, value]),
  ];
  return table(['NAME', 'VALUE'], rows);
}

export function conditionTable({ status }: Application): string {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return '';
  const rows = conditions.map((c) => [c.type, c.message, c.lastTransitionTime ?? '']);
  return `\n${table(['CONDITION', 'MESSAGE', 'LAST TRANSITION'], rows)}`;
}

export function operationFacts({ status, operation }: Application): string {
  const state = status?.operationState;
  if (!state)
    return operation
      ? facts([
          ['Operation', 'Sync'],
          ['Phase', 'requested'],
        ])
      : '';
  const { syncResult, phase, startedAt, finishedAt, message } = state;
  const end = finishedAt ? Date.parse(finishedAt) : Number.NaN;
  return facts([
    ['Operation', 'Sync'],
    ['Sync Revision', syncResult?.revisions?.join(', ') || syncResult?.revision],
    ['Phase', phase],
    ['Start', startedAt],
    ['Finished', finishedAt],
    ['Duration', Number.isNaN(end) ? undefined : `${Math.round((end - Date.parse(startedAt)) / 1000)}s`],
    ['Message', message],
  ]);
}

/**
 * The current message of a resource. The sync message of an object that Git no longer contains is out of date, and so
 * is its message about the health; that it could not apply the object is not.
 */
function messageOf(
  { requiresPruning }: ResourceStatus,
  result: ResourceResult | undefined,
  health: Health | undefined,
): string {
  const isStale = requiresPruning && result?.status !== 'Pruned' && result?.status !== 'PruneSkipped';
  if (isStale) return 'no longer in Git; a sync with --prune deletes it';
  if (result?.status === 'SyncFailed') return result.message ?? '';
  return health?.message ?? result?.message ?? '';
}

export type ResourceRow = readonly [string, string, string, string, string, string, string, string];
export const resourceHead = ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'];

/**
 * The resources that Git declares, with the message of their health or else of the last sync; hooks of that sync after.
 */
export function resourceRows(app: Application, tree?: ResourceTree): ResourceRow[] {
  const results = app.status?.operationState?.syncResult?.resources ?? [];
  const healthOf = new Map(tree?.nodes.map((n) => [refOf(n), n.health]));
  const rows = (app.status?.resources ?? []).map((r): ResourceRow => {
    const result = results.find((one) => refOf(one) === refOf(r));
    const health = r.health ?? healthOf.get(refOf(r));
    const { group = '', namespace = '' } = r;
    return [
      group,
      r.kind,
      namespace,
      r.name,
      r.status ?? '',
      health?.status ?? '',
      result?.hookType ?? '',
      messageOf(r, result, health),
    ];
  });
  const hooks = results
    .filter((r) => r.hookType && !app.status?.resources?.some((one) => refOf(one) === refOf(r)))
    .map((r): ResourceRow => {
      const { group, kind, namespace, name, hookPhase = '', status = '', hookType = '', message = '' } = r;
      return [group, kind, namespace, name, hookPhase || status, '', hookType, message];
    });
  return [...rows, ...hooks];
}

const refOf = (r: { group?: string; kind: string; namespace?: string; name: string }): string =>
  `${r.group ?? ''}/${r.kind}/${r.namespace ?? ''}/${r.name}`;

/** `-o json` and `-o yaml`, the same for every object. */
export function printAs(format: string, value: unknown): string {
  if (format === 'json') return `${printJson(value, 2)}\n`;
  if (format === 'yaml') return print(value);
  throw new ExitError(usageExitCode, `unknown output format ${format}: use json, yaml or what --help lists`);
}
