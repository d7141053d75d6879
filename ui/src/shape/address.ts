import { type KubeObject, keyFrom, parseKey, type ResourceKey } from '#base/model';

/** The current page. The path names the page, the query what it shows. */
export type Route =
  | { readonly page: 'login' }
  | { readonly page: 'applications' }
  | { readonly page: 'application'; readonly namespace: string; readonly name: string }
  | { readonly page: 'sets' }
  | { readonly page: 'set'; readonly namespace: string; readonly name: string }
  | { readonly page: 'settings'; readonly section: SettingsSection; readonly name?: string }
  | { readonly page: 'user' }
  | { readonly page: 'help' }
  | { readonly page: 'nowhere'; readonly instead?: 'resources' };

export const applicationsPath = '/applications';
export const applicationSetsPath = '/applicationsets';

/** compat server §10.1: the names of the settings in bookmarks. */
export const sections = [
  'projects',
  'repos',
  'clusters',
  'accounts',
  'certs',
  'gpgkeys',
  'notifications',
  'in-force',
  'appearance',
] as const;
export type SettingsSection = (typeof sections)[number];

/** The address of a section of the settings, or of one thing in it. */
export const sectionPath = (section: SettingsSection, name = ''): string =>
  `/settings/${section}${name ? `/${encodeURIComponent(name)}` : ''}`;

export const views = [
  'tree',
  'list',
  'pods',
  'network',
  'changes',
  'timeline',
  'history',
  'logs',
  'events',
  'parameters',
  'notifications',
  'manifest',
] as const;
export type View = (typeof views)[number];

export const setViews = ['applications', 'rollout', 'generators', 'preview', 'events', 'manifest'] as const;
export type SetView = (typeof setViews)[number];

export const diffModes = ['fields', 'inline', 'split'] as const;
export type DiffMode = (typeof diffModes)[number];

export type ObjectName = { readonly namespace: string; readonly name: string };

export function routeOf(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return { page: 'applications' };
  const [first = ''] = parts;
  const alone = parts.length === 1 ? singles.get(first) : undefined;
  if (alone) return alone;
  if (first === 'settings') return settingsRoute(parts);
  const pages = lists.get(parts[0]);
  if (!pages || parts.length > 3) return { page: 'nowhere' };
  // compat server §10.1: older links have no namespace
  const [, namespace, name] = parts.length === 2 ? [parts[0], 'argocd', parts[1]] : parts;
  if (!namespace || !name) return { page: pages.list };
  return { page: pages.one, namespace: decode(namespace), name: decode(name) };
}

const singles: ReadonlyMap<string, Route> = new Map([
  ['login', { page: 'login' }],
  ['user-info', { page: 'user' }],
  ['help', { page: 'help' }],
  ['resources', { page: 'nowhere', instead: 'resources' }],
]);

/** compat server §10.1: what Argo CD calls advanced are the settings that are in force. */
const theirSections: ReadonlyMap<string, SettingsSection> = new Map([['advanced', 'in-force']]);

function settingsRoute([, wanted = 'projects', name, ...rest]: readonly string[]): Route {
  const section = sections.find((one) => one === (theirSections.get(wanted) ?? wanted));
  if (!section || rest.length > 0) return { page: 'nowhere' };
  return { page: 'settings', section, ...(name && { name: decode(name) }) };
}

const lists: ReadonlyMap<string | undefined, { list: 'applications' | 'sets'; one: 'application' | 'set' }> =
  new Map([
    ['applications', { list: 'applications', one: 'application' }],
    ['applicationsets', { list: 'sets', one: 'set' }],
  ]);

/** compat server §10.1: the path that bookmarks hold. */
export function pathOf({ namespace, name }: ObjectName): string {
  return `/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** The address of one view of a set; the query narrows what it shows. */
export function setViewPath(
  { namespace, name }: ObjectName,
  view: SetView = 'applications',
  query = '',
): string {
  const path = `${applicationSetsPath}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const text = [view === 'applications' ? '' : `view=${view}`, query].filter(Boolean).join('&');
  return text ? `${path}?${text}` : path;
}

export function setViewOf(query: URLSearchParams): SetView {
  return setViews.find((view) => view === query.get('view')) ?? 'applications';
}

/** The address of one view of an application, with a resource selected if one is given. */
export function viewPath(place: ObjectName, view: View, node?: string): string {
  const query = [view === 'tree' ? '' : `view=${view}`, node ? `node=${encodeNode(node)}` : ''].filter(
    Boolean,
  );
  return query.length > 0 ? `${pathOf(place)}?${query.join('&')}` : pathOf(place);
}

export function placeOf({ metadata }: KubeObject): ObjectName {
  return { namespace: metadata.namespace ?? 'argocd', name: metadata.name };
}

/** compat server §10.1: in Argo CD the operation and the conditions are panels of their own; here they are views. */
export function viewOf(query: URLSearchParams): View {
  if (!query.has('view') && query.get('operation') === 'true') return 'timeline';
  if (!query.has('view') && query.get('conditions') === 'true') return 'events';
  if (!query.has('view') && query.get('tab') === 'parameters') return 'parameters';
  return views.find((view) => view === query.get('view')) ?? 'tree';
}

export function diffModeOf(query: URLSearchParams): DiffMode {
  return diffModes.find((mode) => mode === query.get('diff')) ?? 'fields';
}

const panelTabs = [
  'summary',
  'rollout',
  'traffic',
  'changes',
  'manifest',
  'target',
  'events',
  'logs',
  'terminal',
] as const;
export type PanelTabName = (typeof panelTabs)[number];

/** compat server §10.1: the tabs of Argo CD's panel, as bookmarks name them. */
const theirTabs: ReadonlyMap<string, PanelTabName> = new Map([
  ['diff', 'changes'],
  ['desired', 'target'],
]);

/** The tab that only resources of this kind have; undefined: they have none. */
export function ownTabOf({ group, kind }: { group: string; kind: string }): PanelTabName | undefined {
  if (group === 'argoproj.io' && kind === 'Rollout') return 'rollout';
  return group === 'serving.knative.dev' && kind === 'Service' ? 'traffic' : undefined;
}

/** The panel opens on the difference when that is what the page is about, else on what is particular to the kind. */
export function panelTabOf(query: URLSearchParams, hasChange: boolean, own?: PanelTabName): PanelTabName {
  const first = hasChange && viewOf(query) === 'changes' ? 'changes' : (own ?? 'summary');
  const wanted = query.get('tab') ?? '';
  return panelTabs.find((tab) => tab === (theirTabs.get(wanted) ?? wanted)) ?? first;
}

/** compat server §10.1: Argo CD's links end with the index of a container. */
const fiveParts = /^([^/]*\/[^/]+\/[^/]*\/[^/]+)\/\d+$/;

/** compat server §10.1: the sync to open: of all that differs, or of the resources that the link names. */
export function deployOf(query: URLSearchParams): 'all' | readonly ResourceKey[] | undefined {
  const wanted = query.get('deploy');
  if (!wanted) return undefined;
  const keys = wanted.split(',').flatMap((one) => nodeOf(new URLSearchParams({ node: one })) ?? []);
  return wanted === 'all' || keys.length === 0 ? 'all' : keys;
}

/** The selected resource's key; undefined when there is none, or the parameter is not a key. */
export function nodeOf(query: URLSearchParams): ResourceKey | undefined {
  const node = query.get('node');
  if (!node) return undefined;
  try {
    return keyFrom(parseKey(fiveParts.exec(node)?.[1] ?? node));
  } catch {
    return undefined; // the user edited the address
  }
}

/**
 * The page after signing in. Only an address of this site: a link must not redirect users to another site.
 */
export function returnPath(query: URLSearchParams): string {
  const wanted = query.get('return_url') ?? '';
  const isOurs = /^\/(?![/\\])/.test(wanted) && routeOf(wanted.split('?')[0] ?? '').page !== 'login';
  return isOurs ? wanted : applicationsPath;
}

const encodeNode = (node: string): string => encodeURIComponent(node).replaceAll('%2F', '/');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray %: no such application, and the page reports it
  }
}
