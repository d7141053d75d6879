import type { AppProject, Destination, GroupKind, ProjectSpec, ResourceRule } from '#base/model';
import { matcherOf, pathMatch } from '../glob.ts';
import { roleProblems } from '../rbac/roles.ts';
import { repeated } from '../repeated.ts';
import { windowProblems, windowWarnings } from '../windows/check.ts';
import { serviceAccountProblems } from './impersonation.ts';
import { namespaceProblems } from './namespaces.ts';

const longestDescription = 255;

/**
 * Everything that keeps a project from being accepted (engine P-6, P-20, P-21, P-26, P-40, P-46), each with its
 * field and fix.
 */
export function projectProblems(project: AppProject): string[] {
  const { spec } = project;
  return [
    ...((spec.description ?? '').length > longestDescription
      ? [`spec.description is longer than ${longestDescription} characters`]
      : []),
    ...sourceProblems(spec),
    ...destinationProblems(spec.destinations ?? []),
    ...namespaceProblems(spec.sourceNamespaces).map((why) => `spec.sourceNamespaces: ${why}`),
    ...twins(spec.sourceNamespaces ?? [], 'spec.sourceNamespaces'),
    ...serviceAccountProblems(project),
    ...roleProblems(project),
    ...windowProblems(spec.syncWindows),
  ];
}

function sourceProblems({ sourceRepos = [] }: ProjectSpec): string[] {
  return [
    ...(sourceRepos.includes('!*')
      ? ['spec.sourceRepos: !* would deny everything; leave the list empty']
      : []),
    ...sourceRepos
      .filter((entry) => !isGlob(entry))
      .map((entry) => `spec.sourceRepos: "${entry}" is not a pattern`),
    ...twins(sourceRepos, 'spec.sourceRepos'),
  ];
}

/** compat engine P-6 */
function destinationProblems(destinations: readonly Destination[]): string[] {
  const all = destinations.flatMap(({ server = '', name = '', namespace = '' }, i) =>
    Object.entries({ server, name, namespace }).flatMap(([field, value]) => {
      const place = `spec.destinations[${i}].${field}`;
      if (value === '!*') return [`${place}: !* would deny everything; leave the entry out`];
      return isGlob(value) ? [] : [`${place}: "${value}" is not a pattern`];
    }),
  );
  const names = destinations.map(({ server, name = '', namespace = '' }) => `${server || name}/${namespace}`);
  return [...all, ...twins(names, 'spec.destinations')];
}

const isGlob = (pattern: string): boolean => matcherOf(pattern.replace(/^!/, '')) !== undefined;

/** Entries that match nothing because they cannot be read: the warning reaches an author who wrote the project with kubectl. */
function unreadablePatterns(spec: ProjectSpec): string[] {
  const destinations = (spec.destinations ?? []).flatMap(({ server = '', name = '', namespace = '' }, i) =>
    Object.entries({ server, name, namespace }).map(
      ([field, value]) => [`spec.destinations[${i}].${field}`, value] as const,
    ),
  );
  const accounts = (spec.destinationServiceAccounts ?? []).flatMap(({ server, namespace = '' }, i) => [
    [`spec.destinationServiceAccounts[${i}].server`, server] as const,
    [`spec.destinationServiceAccounts[${i}].namespace`, namespace] as const,
  ]);
  const repos = (spec.sourceRepos ?? []).map((entry, i) => [`spec.sourceRepos[${i}]`, entry] as const);
  return [
    ...[...repos, ...destinations, ...accounts]
      .filter(([, pattern]) => !isGlob(pattern))
      .map(([place, pattern]) => `${place}: "${pattern}" is not a pattern, so the entry has no effect`),
    ...namespaceProblems(spec.sourceNamespaces).map((why) => `spec.sourceNamespaces: ${why}`),
  ];
}

const twins = (values: readonly string[], place: string): string[] =>
  repeated(values).map((value) => `${place} holds "${value}" twice; remove one`);

export type ProjectFacts = {
  /** Every kind that some managed cluster serves; absent when none was discovered. */
  readonly kinds?: readonly GroupKind[];
};

/** Settings of a project that its author may not have meant. These are warnings: nothing is rejected. */
export function projectWarnings({ spec }: AppProject, { kinds }: ProjectFacts = {}): string[] {
  const repos = spec.sourceRepos ?? [];
  return [
    ...(spec.signatureKeys?.length && spec.sourceIntegrity?.git
      ? ['spec.signatureKeys is ignored beside spec.sourceIntegrity.git; move its keys there']
      : []),
    // compat engine P-8
    ...(repos.length > 0 && repos.every((entry) => entry.startsWith('!'))
      ? [
          'spec.sourceRepos holds only denials, which permits every other repository; add what you mean to permit',
        ]
      : []),
    ...unreadablePatterns(spec),
    ...windowWarnings(spec.syncWindows),
    ...(kinds ? unknownKinds(spec, kinds) : []),
  ];
}

const kindLists = [
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
] as const;

/** compat engine P-18, X-24: a kind that no cluster serves usually has the wrong group. */
function unknownKinds(spec: ProjectSpec, kinds: readonly GroupKind[]): string[] {
  return kindLists.flatMap((list) =>
    (spec[list] ?? [])
      .filter(
        (rule) =>
          !kinds.some(({ group, kind }) => pathMatch(rule.group, group) && pathMatch(rule.kind, kind)),
      )
      .map((rule) => `spec.${list} names ${nameOf(rule)}, which no cluster has; ${hint(rule, kinds)}`),
  );
}

const nameOf = ({ group, kind }: ResourceRule | GroupKind): string => `${group || 'core'}/${kind}`;

function hint({ kind }: ResourceRule, kinds: readonly GroupKind[]): string {
  const same = kinds.find((one) => one.kind === kind);
  return same ? `did you mean ${nameOf(same)}?` : 'the rule never matches';
}
