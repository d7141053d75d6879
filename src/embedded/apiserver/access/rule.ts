import {
  fullResource,
  type PathAttributes,
  type RequestAttributes,
  type ResourceAttributes,
} from '../authorize.ts';

/** One rule of a role, as stored; its fields are not validated. */
export type RoleRule = {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
};

const none: readonly string[] = [];

/** Whether the rule allows the attributes. */
export const allows = (rule: RoleRule, attributes: RequestAttributes): boolean =>
  holds(rule.verbs, attributes.verb) &&
  ('path' in attributes ? allowsPath(rule, attributes) : allowsResource(rule, attributes));

function allowsResource(rule: RoleRule, attributes: ResourceAttributes): boolean {
  const { apiGroups, resources = none, resourceNames = none } = rule;
  if (!holds(apiGroups, attributes.group)) return false;
  const named = resources.includes('*') || resources.includes(fullResource(attributes));
  if (!named && !(attributes.subresource !== '' && resources.includes(`*/${attributes.subresource}`)))
    return false;
  return resourceNames.length === 0 || resourceNames.includes(attributes.name);
}

const allowsPath = ({ nonResourceURLs = none }: RoleRule, { path }: PathAttributes): boolean =>
  nonResourceURLs.some((pattern) => matchesPath(pattern, path));

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

const holds = (list: readonly string[] = none, wanted: string): boolean =>
  list.includes('*') || list.includes(wanted);

/** The parts of `wanted` that no rule of `held` covers, merged where only the verbs differ, sorted as text. */
export function notCovered(held: readonly RoleRule[], wanted: readonly RoleRule[]): string[] {
  const missing = wanted.flatMap(parts).filter((part) => !held.some((rule) => covers(rule, part)));
  const joined = new Map<string, Part>();
  for (const part of missing) {
    const key = part.url === undefined ? placeOf(part) : printRule(part);
    const known = joined.get(key);
    const verbs = [...new Set([...(known?.verbs ?? none), ...part.verbs])];
    joined.set(key, { ...part, verbs });
  }
  return [...joined.values()].map(printRule).sort();
}

/** A rule with one verb on one resource. */
type Part = {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly url?: string;
};

function parts(rule: RoleRule): Part[] {
  const {
    verbs = none,
    apiGroups = none,
    resources = none,
    resourceNames = none,
    nonResourceURLs = none,
  } = rule;
  const things = apiGroups.flatMap((group) =>
    resources.flatMap((resource) => {
      const place = { group, resource };
      return resourceNames.length === 0 ? [place] : resourceNames.map((name) => ({ ...place, name }));
    }),
  );
  const urls = nonResourceURLs.map((url) => ({ group: '', resource: '', url }));
  return [...things, ...urls].flatMap((thing) => verbs.map((verb) => ({ ...thing, verbs: [verb] })));
}

/** compat cluster 3.18: to grant `pods/log` a user must hold it, `*`, or the same subresource of all resources. */
function covers(rule: RoleRule, part: Part): boolean {
  const [verb = ''] = part.verbs;
  if (!holds(rule.verbs, verb)) return false;
  if (part.url !== undefined)
    return (rule.nonResourceURLs ?? none).some((url) => matchesPath(url, part.url ?? ''));
  if (!holds(rule.apiGroups, part.group) || !coversResource(rule.resources ?? none, part.resource))
    return false;
  const names = rule.resourceNames ?? none;
  return names.length === 0 || (part.name !== undefined && names.includes(part.name));
}

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes('*') || held.includes(wanted)) return true;
  const cut = wanted.indexOf('/');
  return cut >= 0 && held.includes(`*${wanted.slice(cut)}`);
}

const placeOf = ({ group, resource, name }: Part): string => JSON.stringify([group, resource, name ?? null]);

/** compat cluster 3.18: a rule as Kubernetes prints it in its errors. */
function printRule({ verbs, group, resource, name, url }: Part): string {
  if (url !== undefined) return `{NonResourceURLs:[${quoted([url])}], Verbs:[${quoted(verbs)}]}`;
  const names = name === undefined ? '' : ` ResourceNames:[${quoted([name])}],`;
  return `{APIGroups:[${quoted([group])}], Resources:[${quoted([resource])}],${names} Verbs:[${quoted(verbs)}]}`;
}

const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(word)).join(' ');
