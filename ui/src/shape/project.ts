import type { Application, AppProject } from '#base/model';
import { projectName, tokensOf } from '#base/model';
import { isObject } from '#base/std';
import { Enforcer, printRule, roleSubject, viewWindows } from '#engine';
import { parse } from '#lang/yaml';
import { repoName } from './revision.ts';
import { counted, type Span, say } from './span.ts';

/** The project of a text that a user typed. Throws where it is no YAML, or no project. */
export function projectIn(text: string): AppProject {
  const value = parse(text);
  const isProject =
    isObject(value) && value.kind === 'AppProject' && isObject(value.metadata) && isObject(value.spec);
  if (!isProject) throw new Error('want one object of kind AppProject with metadata and spec');
  return value as unknown as AppProject;
}

/** A rule of a project for users: who may come from where, and what may be there. */
export type ProjectRuleList = {
  readonly title: string;
  readonly rows: readonly string[];
  /** What an empty list means. */
  readonly none: string;
  /** The list of the spec, where it has a form; a row has the place of its item. */
  readonly of?: 'sourceRepos' | 'destinations';
};

const anything = '*';

/** What may be deployed from where to where, in lists. */
export function projectRules({ spec }: AppProject): ProjectRuleList[] {
  const kinds = (rules: readonly { group?: string; kind?: string }[] = []) =>
    rules.map(({ group = '', kind = '' }) =>
      group === anything && kind === anything ? 'every kind' : `${kind || anything} of ${group || 'core'}`,
    );
  return [
    {
      title: 'From these repositories',
      rows: (spec.sourceRepos ?? []).map((url) => (url === anything ? 'every repository' : repoName(url))),
      none: 'from none: nothing can be deployed',
      of: 'sourceRepos',
    },
    {
      title: 'To these destinations',
      rows: (spec.destinations ?? []).map(({ server, name, namespace = anything }) => {
        const cluster = name || (server === anything ? 'every cluster' : (server ?? 'no cluster'));
        return `${cluster}, ${namespace === anything ? 'every namespace' : `namespace ${namespace}`}`;
      }),
      none: 'to none: nothing can be deployed',
      of: 'destinations',
    },
    {
      title: 'Cluster-wide kinds allowed',
      rows: kinds(spec.clusterResourceWhitelist),
      none: 'none',
    },
    { title: 'Cluster-wide kinds denied', rows: kinds(spec.clusterResourceBlacklist), none: 'none' },
    {
      title: 'Kinds allowed in namespaces',
      rows: kinds(spec.namespaceResourceWhitelist),
      none: 'every kind',
    },
    { title: 'Kinds denied in namespaces', rows: kinds(spec.namespaceResourceBlacklist), none: 'none' },
    {
      title: 'Applications in these namespaces',
      rows: spec.sourceNamespaces ?? [],
      none: 'only in the namespace of the controller',
    },
    {
      title: 'Commits signed with',
      rows: (spec.signatureKeys ?? []).map(({ keyID }) => keyID),
      none: 'signatures are not required',
    },
  ];
}

/** The sentence that opens the page of a project: what it permits, how much uses it, and what blocks it now. */
export function projectSentence(project: AppProject, apps: readonly Application[], now: number): Span[] {
  const { sourceRepos = [], destinations = [], syncWindows } = project.spec;
  const own = apps.filter((app) => projectName(app) === project.metadata.name).length;
  const from = sourceRepos.includes(anything)
    ? 'every repository'
    : counted(sourceRepos.length, 'repository').replace('repositorys', 'repositories');
  const isEverywhere = destinations.some(
    ({ server, namespace }) => server === anything && namespace === anything,
  );
  const to = isEverywhere ? 'every cluster and namespace' : counted(destinations.length, 'destination');
  const open = viewWindows(syncWindows, new Date(now)).filter((one) => one.open);
  const denied = open.some(({ window }) => window.kind === 'deny');
  return [
    { text: project.metadata.name, isStrong: true },
    say(` lets `),
    {
      text: counted(own, 'application'),
      ...(own > 0 && { target: { to: 'filter', query: `proj=${project.metadata.name}` } }),
    },
    say(` deploy from ${from} to ${to}`),
    ...(denied ? [say('; a deny window is open now')] : []),
    say('.'),
  ];
}

export type RoleView = {
  readonly name: string;
  readonly description: string;
  readonly policies: readonly string[];
  readonly groups: readonly string[];
  readonly tokens: readonly { readonly id: string; readonly iat: number; readonly exp?: number }[];
};

export const rolesOf = (project: AppProject): RoleView[] =>
  (project.spec.roles ?? []).map(({ name, description = '', policies = [], groups = [] }) => ({
    name,
    description,
    policies,
    groups,
    tokens: tokensOf(project, name).map(({ id = '', ...rest }) => ({ id, ...rest })),
  }));

export type Verdict = { readonly isAllowed: boolean; readonly why: string };

/** Whether a role of the project may do something, and the line of its policies that decides. */
export function judgeRole(
  project: AppProject,
  role: string,
  requested: { readonly resource: string; readonly action: string; readonly object: string },
): Verdict {
  const enforcer = new Enforcer({
    policy: { rules: [], grants: [] },
    defaultRole: '',
    matchMode: 'glob',
    projectNamed: (name) => (name === project.metadata.name ? project : undefined),
  });
  const user = roleSubject(project.metadata.name, role);
  const decision = enforcer.judge({ user, groups: [], isLocal: false }, requested);
  const line = decision.rule ? printRule(decision.rule) : '';
  return {
    isAllowed: decision.allowed,
    why: line ? `decided by: ${line}` : 'no line of its policies matches',
  };
}
