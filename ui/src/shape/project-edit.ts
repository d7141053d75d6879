import type { AppProject, ProjectRole, SyncWindow } from '#base/model';
import { viewWindows } from '#engine';

type Lists = Required<Pick<AppProject['spec'], 'sourceRepos' | 'destinations' | 'syncWindows' | 'roles'>>;
/** The lists of a project that have forms. */
export type FormList = keyof Lists;
type ItemOf<List extends FormList> = Lists[List][number];

/** The project with an item in the place of another, or as the last one. */
export function withItem<List extends FormList>(
  project: AppProject,
  list: List,
  item: ItemOf<List>,
  at = itemsOf(project, list).length,
): AppProject {
  return withList(project, list, itemsOf(project, list).toSpliced(at, 1, item));
}

export const withoutItem = (project: AppProject, list: FormList, at: number): AppProject =>
  withList(project, list, itemsOf(project, list).toSpliced(at, 1));

const itemsOf = <List extends FormList>({ spec }: AppProject, list: List): ItemOf<List>[] =>
  (spec[list] ?? []) as ItemOf<List>[];

/** Its status is the server's. */
function withList(
  { status: _, ...project }: AppProject,
  list: FormList,
  items: readonly unknown[],
): AppProject {
  return { ...project, spec: { ...project.spec, [list]: items } };
}

/** A window as a user fills it in; the lists have commas. */
export type WindowForm = {
  readonly kind: 'allow' | 'deny';
  readonly schedule: string;
  readonly duration: string;
  readonly timeZone: string;
  readonly applications: string;
  readonly namespaces: string;
  readonly clusters: string;
  readonly manualSync: boolean;
};

const lists = ['applications', 'namespaces', 'clusters'] as const;

export const windowForm = (window: SyncWindow | undefined): WindowForm => ({
  kind: window?.kind ?? 'deny',
  schedule: window?.schedule ?? '',
  duration: window?.duration ?? '1h',
  timeZone: window?.timeZone ?? '',
  applications: window ? (window.applications ?? []).join(', ') : '*',
  namespaces: (window?.namespaces ?? []).join(', '),
  clusters: (window?.clusters ?? []).join(', '),
  manualSync: window?.manualSync === true,
});

/** What the form does not show stays as `before` has it. */
export function windowOf(form: WindowForm, before: SyncWindow = {}): SyncWindow {
  const { timeZone: _zone, applications: _1, namespaces: _2, clusters: _3, ...rest } = before;
  const named = lists.flatMap((list) => {
    const items = itemsIn(form[list]);
    return items.length > 0 ? [[list, items] as const] : [];
  });
  return {
    ...rest,
    kind: form.kind,
    schedule: form.schedule.trim(),
    duration: form.duration.trim(),
    manualSync: form.manualSync,
    ...(form.timeZone.trim() && { timeZone: form.timeZone.trim() }),
    ...Object.fromEntries(named),
  };
}

/** Why a window cannot be saved: what the engine says of it, or that it is for nothing. */
export function whyNotWindow(form: WindowForm): string | undefined {
  if (lists.every((list) => itemsIn(form[list]).length === 0))
    return 'It is for nothing: name applications, namespaces or clusters; * is every one.';
  if (form.schedule.trim() === '') return 'The schedule is missing, for example 0 22 * * *.';
  return viewWindows([windowOf(form)], new Date(0))[0]?.problem;
}

/** A role as a user fills it in; one policy a line. */
export type RoleForm = {
  readonly name: string;
  readonly description: string;
  readonly policies: string;
  readonly groups: string;
};

export const roleForm = (role: ProjectRole | undefined): RoleForm => ({
  name: role?.name ?? '',
  description: role?.description ?? '',
  policies: (role?.policies ?? []).join('\n'),
  groups: (role?.groups ?? []).join(', '),
});

/** Its tokens stay. */
export const roleOf = (form: RoleForm, before?: ProjectRole): ProjectRole => ({
  ...before,
  name: form.name.trim(),
  description: form.description.trim(),
  policies: form.policies
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
  groups: itemsIn(form.groups),
});

/** A line that permits the role to sync everything of the project, to begin with. */
export const samplePolicy = (project: string, role: string): string =>
  `p, proj:${project}:${role || 'ROLE'}, applications, sync, ${project}/*, allow`;

export function whyNotRole(form: RoleForm, project: AppProject, before?: ProjectRole): string | undefined {
  const name = form.name.trim();
  if (!/^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(name))
    return 'Give it a name of letters, digits and dashes.';
  const isTaken = (project.spec.roles ?? []).some((one) => one !== before && one.name === name);
  return isTaken ? `There is a role ${name} already.` : undefined;
}

const itemsIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Which form of a project is open, by its address (compat server §10.1: the four that Argo CD has). */
type ProjectForm = {
  readonly tab: 'rules' | 'roles' | 'windows';
  readonly of: FormList;
  /** What is edited; undefined: it is new. */
  readonly id?: string;
};

const forms: readonly (readonly [parameter: string, form: ProjectForm])[] = [
  ['newRole', { tab: 'roles', of: 'roles' }],
  ['editRole', { tab: 'roles', of: 'roles' }],
  ['newWindow', { tab: 'windows', of: 'syncWindows' }],
  ['editWindow', { tab: 'windows', of: 'syncWindows' }],
  ['newSource', { tab: 'rules', of: 'sourceRepos' }],
  ['newDestination', { tab: 'rules', of: 'destinations' }],
];

export function projectFormOf(query: URLSearchParams): ProjectForm | undefined {
  for (const [parameter, form] of forms) {
    const value = query.get(parameter);
    if (value === null || value === '' || value === 'false') continue;
    return parameter.startsWith('edit') ? { ...form, id: value } : form;
  }
  return undefined;
}

/** The changes of an address that close any form. */
export const noForm: Readonly<Record<string, undefined>> = Object.fromEntries(
  forms.map(([parameter]) => [parameter, undefined]),
);
