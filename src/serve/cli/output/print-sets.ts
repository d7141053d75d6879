import type { ApplicationSet } from '#base/model';
import { unifiedDiff } from '#engine';
import type { ApplicationSetChange, ApplicationSetPreview, ApplicationSetTree } from '#serve/api';
import { facts, table } from './table.ts';

/** compat server §8.3: a set is named with its namespace. */
export const nameOfSet = ({ metadata }: ApplicationSet): string =>
  `${metadata.namespace ?? 'argocd'}/${metadata.name}`;

const templateOf = ({ spec }: ApplicationSet) => {
  const { project = 'default', source, sources, destination } = spec.template?.spec ?? {};
  return { project, source: source ?? sources?.[0], destination };
};

/** compat server §8.3: what may happen to the applications of a set. */
const policyOfSet = ({ spec }: ApplicationSet): string => spec.syncPolicy?.applicationsSync || 'sync';

export function setTable(sets: readonly ApplicationSet[]): string {
  const head = 'NAME PROJECT SYNCPOLICY APPLICATIONS CONDITIONS REPO PATH TARGET'.split(' ');
  return table(
    head,
    sets.map((set) => {
      const { project, source } = templateOf(set);
      return [
        nameOfSet(set),
        project,
        policyOfSet(set),
        String(set.status?.resourcesCount ?? set.status?.resources?.length ?? 0),
        conditionsOf(set),
        source?.repoURL ?? '',
        source?.path ?? '',
        source?.targetRevision ?? '',
      ];
    }),
  );
}

/** Conditions that are news: errors, and a rollout under way. */
function conditionsOf({ status }: ApplicationSet): string {
  const news = (status?.conditions ?? []).filter(({ type, status: is }) =>
    type === 'ResourcesUpToDate' || type === 'ParametersGenerated' ? is !== 'True' : is === 'True',
  );
  return news.map(({ type }) => type).join(',') || '<none>';
}

export function setFacts(set: ApplicationSet, origin: string): string {
  const { project, source, destination } = templateOf(set);
  const { status } = set;
  const head = facts([
    ['Name', nameOfSet(set)],
    ['Project', project],
    ['Server', destination?.server ?? destination?.name ?? ''],
    ['Namespace', destination?.namespace ?? ''],
    ['URL', `${origin}/applicationsets/${nameOfSet(set)}`],
    ['Repo', source?.repoURL],
    ['Target', source?.targetRevision],
    ['Path', source?.path],
    ['Sync Policy', policyOfSet(set)],
    [
      'Health Status',
      status?.health && [status.health.status, status.health.message].filter(Boolean).join(' '),
    ],
    ['Applications', String(status?.resourcesCount ?? status?.resources?.length ?? 0)],
  ]);
  return `${head}${conditionRows(set)}${rolloutRows(set)}`;
}

function conditionRows({ status }: ApplicationSet): string {
  const rows = (status?.conditions ?? []).map((one) => [
    one.type,
    one.status,
    one.message ?? '',
    one.lastTransitionTime ?? '',
  ]);
  return rows.length === 0 ? '' : `\n${table(['CONDITION', 'STATUS', 'MESSAGE', 'LAST TRANSITION'], rows)}`;
}

/** Where each application of a progressive sync stands, and what it waits for. */
function rolloutRows({ status }: ApplicationSet): string {
  const rows = (status?.applicationStatus ?? []).map((one) => [
    one.step,
    one.application,
    one.status,
    one.message ?? '',
  ]);
  return rows.length === 0 ? '' : `\n${table(['STEP', 'APPLICATION', 'STATUS', 'MESSAGE'], rows)}`;
}

export function setTree({ nodes }: ApplicationSetTree): string {
  const [root, ...applications] = nodes;
  const line = ({ kind, name, health }: ApplicationSetTree['nodes'][number]): string =>
    [`${kind}/${name}`, health?.status, health?.message].filter(Boolean).join('  ');
  const last = applications.length - 1;
  return [
    ...(root ? [line(root)] : []),
    ...applications.map((node, at) => `${at === last ? '└─' : '├─'}${line(node)}`),
    '',
  ].join('\n');
}

/** What a set would change: one header for each application, a diff where it exists already. */
export function previewText({
  changes,
  unchanged,
  invalid,
  blocked,
  warnings,
}: ApplicationSetPreview): string {
  const counts = (['create', 'update', 'delete'] as const)
    .map((action) => `${changes.filter((one) => one.action === action).length} to ${action}`)
    .join(', ');
  return [
    ...warnings.map((warning) => `warning: ${warning}\n`),
    ...(blocked === undefined ? [] : [`nothing would be done: ${blocked}\n`]),
    ...invalid.map(({ application, message }) => `${application} would be skipped: ${message}\n`),
    ...changes.map(changeText),
    `${counts}, ${unchanged} unchanged\n`,
  ].join('');
}

function changeText({ action, application, live, target }: ApplicationSetChange): string {
  const header = `===== ${action} ${application} ======\n`;
  return action === 'update' ? `${header}${unifiedDiff(live, target)}\n` : header;
}
