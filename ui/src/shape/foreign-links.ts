import { applicationsPath, pathOf } from './address.ts';

/** compat server §10.1: `syncApp` opens the sync of one application, which has its own page here. */
export function redirectOf(path: string, query: URLSearchParams): string | undefined {
  const wanted = query.get('syncApp');
  if (path !== applicationsPath || !wanted) return undefined;
  const [name = '', namespace = query.get('appNamespace') ?? 'argocd'] = wanted.split('/').reverse();
  return name ? `${pathOf({ namespace, name })}?deploy=all` : undefined;
}

/** compat server §10.1: `syncApps` and `refreshApps` are about every application that the filter shows. */
export function bulkDeedOf(query: URLSearchParams): 'sync' | 'refresh' | undefined {
  if (isSet(query.get('syncApps'))) return 'sync';
  return isSet(query.get('refreshApps')) ? 'refresh' : undefined;
}

const isSet = (value: string | null): boolean => value !== null && value !== 'false';

/** What a link to a form of Argo CD is about, and where the same is done here. */
type ProjectHint = { readonly tab: 'roles' | 'windows'; readonly text: string };

/** compat server §10.1: the forms for roles and windows of a project, which are parts of its manifest here. */
export function projectHintOf(query: URLSearchParams): ProjectHint | undefined {
  const [role, window] = [query.get('editRole'), query.get('editWindow')];
  if (role) return roleHint(`Role ${role} is edited`);
  if (isSet(query.get('newRole'))) return roleHint('A role is added');
  if (window) return windowHint(`Window ${window} is edited`);
  return isSet(query.get('newWindow')) ? windowHint('A window is added') : undefined;
}

const roleHint = (deed: string): ProjectHint => ({
  tab: 'roles',
  text: `${deed} in the manifest of the project, under spec.roles.`,
});
const windowHint = (deed: string): ProjectHint => ({
  tab: 'windows',
  text: `${deed} in the manifest of the project, under spec.syncWindows.`,
});
