import { keyFrom } from '#base/model';
import {
  applicationsPath,
  nodeOf,
  type ObjectName,
  pathOf,
  routeOf,
  type View,
  viewPath,
} from './address.ts';

/** compat server §10.1: a bookmark of Argo CD for something that has another address here; undefined: it has the same. */
export function redirectOf(path: string, query: URLSearchParams): string | undefined {
  if (path === applicationsPath) return syncOf(query);
  const route = routeOf(path);
  return route.page === 'application' ? panelOf(route, query) : undefined;
}

/** `syncApp` opens the sync of one application, which has its own page here. */
function syncOf(query: URLSearchParams): string | undefined {
  const wanted = query.get('syncApp');
  if (!wanted) return undefined;
  const [name = '', namespace = query.get('appNamespace') ?? 'argocd'] = wanted.split('/').reverse();
  return name ? `${pathOf({ namespace, name })}?deploy=all` : undefined;
}

/** Argo CD shows an application itself as a resource in a panel, with tabs; here these are views of its page. */
const viewsOfTabs: ReadonlyMap<string | null, View> = new Map([
  ['diff', 'changes'],
  ['parameters', 'parameters'],
  ['manifest', 'manifest'],
  ['events', 'events'],
]);

function panelOf({ namespace, name }: ObjectName, query: URLSearchParams): string | undefined {
  if (query.has('rollback')) return viewPath({ namespace, name }, 'history'); // the place in a list, which has moved on
  const own = keyFrom({ group: 'argoproj.io', kind: 'Application', namespace, name });
  if (nodeOf(query) !== own) return undefined;
  return viewPath({ namespace, name }, viewsOfTabs.get(query.get('tab')) ?? 'tree');
}

/** compat server §10.1: `syncApps` and `refreshApps` are about every application that the filter shows. */
export function bulkDeedOf(query: URLSearchParams): 'sync' | 'refresh' | undefined {
  if (isSet(query.get('syncApps'))) return 'sync';
  return isSet(query.get('refreshApps')) ? 'refresh' : undefined;
}

const isSet = (value: string | null): boolean => value !== null && value !== 'false';
