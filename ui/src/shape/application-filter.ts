import type { HealthCode } from '#base/model';
import {
  type Application,
  controllerOf,
  effectiveSources,
  inClusterServer,
  isAutomated,
  projectName,
  qualifiedName,
} from '#base/model';
import { needsAttention } from './attention.ts';
import { isWaitingToRetry } from './failing-sync.ts';
import { healthOf, isSyncing, syncOf } from './fleet.ts';
import { healthCodes, syncCodes, worstHealth } from './state.ts';

export const groupings = ['none', 'project', 'cluster', 'namespace'] as const;
export type Grouping = (typeof groupings)[number];
/** compat server §10.1: how the list is drawn, in the words of bookmarks. */
export const listViews = ['list', 'tiles', 'summary'] as const;
export type ListView = (typeof listViews)[number];

export const listViewOf = (query: URLSearchParams): ListView =>
  listViews.find((one) => one === query.get('view')) ?? 'list';

/** At first what needs a user comes first: a list is read for its causes. */
const orders = ['attention', 'name', 'project', 'sync', 'health', 'destination'] as const;
export type Order = (typeof orders)[number];

/** The filter of the list, from the address. compat server §10.1: the parameter names of bookmarks. */
export type ApplicationFilter = {
  readonly search: string;
  readonly health: ReadonlySet<string>;
  readonly sync: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  readonly clusters: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly repos: ReadonlySet<string>;
  readonly sets: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
  readonly revisions: ReadonlySet<string>;
  readonly autoSync: ReadonlySet<string>;
  readonly favourites: boolean;
  readonly attention: boolean;
  /** The outcome of the last sync, or that one runs. */
  readonly operations: ReadonlySet<string>;
  readonly group: Grouping;
  readonly order: Order;
  readonly isReversed: boolean;
};

export function filterOf(query: URLSearchParams): ApplicationFilter {
  const set = (name: string) => new Set((query.get(name) ?? '').split(',').filter((one) => one !== ''));
  const sort = query.get('sort') ?? '';
  const order = sort.replace(/^-/, '');
  return {
    search: query.get('search') ?? '',
    health: set('health'),
    sync: set('sync'),
    projects: set('proj'),
    clusters: set('cluster'),
    namespaces: set('namespace'),
    repos: set('repo'),
    sets: set('appset'),
    labels: set('labels'),
    annotations: set('annotations'),
    revisions: set('targetRevision'),
    autoSync: set('autoSync'),
    favourites: query.get('showFavorites') === 'true',
    attention: query.get('attention') === 'yes',
    operations: new Set([...set('operation')].map((word) => peerWords[word] ?? word)),
    group: groupings.find((one) => one === query.get('group')) ?? 'none',
    order: orders.find((one) => one === order) ?? 'attention',
    isReversed: sort.startsWith('-'),
  };
}

/** The parameters that narrow the list, for a link that removes them all. */
export const narrowing = [
  'search',
  'health',
  'sync',
  'proj',
  'cluster',
  'namespace',
  'repo',
  'appset',
  'labels',
  'annotations',
  'targetRevision',
  'autoSync',
  'showFavorites',
  'attention',
  'operation',
];

export function isNarrowed(query: URLSearchParams): boolean {
  return narrowing.some((name) => query.get(name));
}

export type Group = {
  readonly name: string;
  readonly worst?: HealthCode;
  readonly apps: readonly Application[];
};

/** The applications that match, in order, by group; one nameless group when they are not grouped. */
export function arrange(
  apps: readonly Application[],
  filter: ApplicationFilter,
  favourites: ReadonlySet<string> = new Set(),
): Group[] {
  const sorted = apps
    .filter((app) => isWanted(app, filter) && (!filter.favourites || favourites.has(qualifiedName(app))))
    .sort(comparison(filter));
  if (filter.group === 'none') return [{ name: '', apps: sorted }];
  const groups = new Map<string, Application[]>();
  for (const app of sorted) {
    const name = groupName(app, filter.group);
    const group = groups.get(name);
    if (group) group.push(app);
    else groups.set(name, [app]);
  }
  return [...groups]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, members]) => {
      const worst = worstHealth(members.map(healthOf));
      return { name, apps: members, ...(worst && { worst }) };
    });
}

function isWanted(app: Application, filter: ApplicationFilter): boolean {
  const allows = (wanted: ReadonlySet<string>, value: string) => wanted.size === 0 || wanted.has(value);
  return (
    allows(filter.health, healthOf(app)) &&
    allows(filter.sync, syncOf(app)) &&
    allows(filter.projects, projectName(app)) &&
    allows(filter.clusters, clusterOf(app)) &&
    allows(filter.namespaces, namespaceOf(app)) &&
    allows(filter.autoSync, autoSyncOf(app)) &&
    allows(filter.operations, operationOf(app)) &&
    allows(filter.sets, setNameOf(app)) &&
    (filter.repos.size === 0 || reposOf(app).some((repo) => filter.repos.has(repo))) &&
    hasPair(app.metadata.labels, filter.labels) &&
    hasPair(app.metadata.annotations, filter.annotations) &&
    (filter.revisions.size === 0 || revisionsOf(app).some((revision) => filter.revisions.has(revision))) &&
    (!filter.attention || needsAttention(app)) &&
    hasWords(app, filter.search)
  );
}

/** compat server §10.1: the words of bookmarks. */
const autoSyncOf = ({ spec }: Application): string => (isAutomated(spec) ? 'Enabled' : 'Disabled');

/** The words of Argo CD's bookmarks for what an operation came to. */
const peerWords: Readonly<Record<string, string>> = {
  Syncing: 'Running',
  Deleting: 'Running',
  Terminated: 'Running',
  'Sync OK': 'Succeeded',
  'Sync failed': 'Failed',
  'Sync error': 'Error',
  Unknown: 'None',
};

/** Between two attempts a sync is one that failed. */
function operationOf(app: Application): string {
  const state = app.status?.operationState;
  if (isSyncing(app)) return 'Running';
  return isWaitingToRetry(state) ? 'Failed' : (state?.phase ?? 'None');
}

const setNameOf = (app: Application): string => {
  const owner = controllerOf(app);
  return owner?.kind === 'ApplicationSet' ? owner.name : '';
};
const reposOf = ({ spec }: Application): string[] => effectiveSources(spec).map(({ repoURL }) => repoURL);
const revisionsOf = ({ spec }: Application): string[] =>
  effectiveSources(spec).map(({ targetRevision }) => targetRevision || 'HEAD');

/** A pair is wanted as `key=value`, or by its key alone; a bookmark of Argo CD has it encoded twice. */
function hasPair(pairs: Readonly<Record<string, string>> | undefined, wanted: ReadonlySet<string>): boolean {
  if (wanted.size === 0) return true;
  return [...wanted].some((one) => {
    const [key = '', ...value] = one.replaceAll('%3D', '=').replaceAll('%2F', '/').split('=');
    return pairs?.[key] !== undefined && (value.length === 0 || pairs[key] === value.join('='));
  });
}

const labelsOf = ({ metadata }: Application): string[] =>
  Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);

/** What can be filtered by, with how many applications each value has; a facet with one value offers nothing. */
export type Facet = {
  readonly name: string;
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
};

const facets: readonly { name: string; label: string; valuesOf(app: Application): string[] }[] = [
  { name: 'proj', label: 'Project', valuesOf: (app) => [projectName(app)] },
  { name: 'cluster', label: 'Cluster', valuesOf: (app) => [clusterOf(app)] },
  { name: 'namespace', label: 'Namespace', valuesOf: (app) => [namespaceOf(app)] },
  { name: 'repo', label: 'Repository', valuesOf: reposOf },
  { name: 'appset', label: 'Set', valuesOf: (app) => [setNameOf(app)].filter(Boolean) },
  { name: 'labels', label: 'Label', valuesOf: labelsOf },
  { name: 'targetRevision', label: 'Target revision', valuesOf: revisionsOf },
  { name: 'operation', label: 'Last sync', valuesOf: (app) => [operationOf(app)] },
  { name: 'autoSync', label: 'Auto-sync', valuesOf: (app) => [autoSyncOf(app)] },
];

export function facetsOf(apps: readonly Application[]): Facet[] {
  return facets.flatMap(({ name, label, valuesOf }) => {
    const counts = new Map<string, number>();
    for (const app of apps)
      for (const value of valuesOf(app)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const values = [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => compare(a.value, b.value));
    const isChoice = values.length > 1 || (values.length === 1 && values[0]?.count !== apps.length);
    return isChoice ? [{ name, label, values }] : [];
  });
}

/** Every word must be somewhere: in the name, project, source, destination or labels. */
function hasWords(app: Application, search: string): boolean {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return true;
  const text = searchText(app);
  return words.every((word) => text.includes(word));
}

const texts = new WeakMap<Application, string>(); // an application that changes is another object

function searchText(app: Application): string {
  const known = texts.get(app);
  if (known !== undefined) return known;
  const sources = effectiveSources(app.spec).flatMap(
    ({ repoURL, path = '', chart = '', targetRevision = '' }) => [repoURL, path, chart, targetRevision],
  );
  const labels = Object.entries(app.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const text = [app.metadata.name, projectName(app), clusterOf(app), namespaceOf(app), ...sources, ...labels]
    .join('\n')
    .toLowerCase();
  texts.set(app, text);
  return text;
}

/** Names of the cluster are small letters and digits: their order needs no language, and sorts ten times faster. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Compare = (a: Application, b: Application) => number;

function comparison({ order, isReversed }: ApplicationFilter): Compare {
  const by: Record<Order, Compare> = {
    attention: (a, b) => Number(needsAttention(b)) - Number(needsAttention(a)),
    name: () => 0,
    project: (a, b) => compare(projectName(a), projectName(b)),
    sync: (a, b) => syncCodes.indexOf(syncOf(a)) - syncCodes.indexOf(syncOf(b)),
    health: (a, b) => healthCodes.indexOf(healthOf(a)) - healthCodes.indexOf(healthOf(b)),
    destination: (a, b) => compare(destinationText(a), destinationText(b)),
  };
  const sign = isReversed ? -1 : 1;
  const byName: Compare = (a, b) => compare(a.metadata.name, b.metadata.name);
  return (a, b) => sign * (by[order](a, b) || byName(a, b));
}

function groupName(app: Application, group: Grouping): string {
  if (group === 'project') return projectName(app);
  return group === 'cluster' ? clusterOf(app) : namespaceOf(app);
}

/** A cluster for users: its name, or its address without the scheme. */
export function clusterOf({ spec: { destination } }: Application): string {
  const { name, server = '' } = destination;
  if (name) return name;
  return server === inClusterServer ? 'in-cluster' : server.replace(/^https?:\/\//, '') || 'no cluster';
}

export const namespaceOf = ({ spec: { destination } }: Application): string => destination.namespace || '–';

export const destinationText = (app: Application): string => `${clusterOf(app)}/${namespaceOf(app)}`;

/** The parameter that sorts by a column; the current column turns round, then gives way to the first order. */
export function sortFor(order: Order, { order: present, isReversed }: ApplicationFilter): string | undefined {
  if (order !== present) return order;
  return isReversed ? undefined : `-${order}`;
}
