import { type LabelSelector, matches, selectorOf } from '#base/model';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { Attributes } from './attributes.ts';

/** One rule of a policy or a webhook. */
export type AdmissionRule = {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
};

/** The match criteria of a policy, a binding or a webhook. */
export type MatchResources = {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly AdmissionRule[];
  readonly excludeResourceRules?: readonly AdmissionRule[];
  readonly matchPolicy?: string;
};

/** The lookups that matching needs. */
export type MatchContext = {
  namespace(name: string): Item | undefined;
  /** The same kind in all versions that are served. */
  versionsOf(resource: ServedResource): readonly ServedResource[];
};

/** The version of the resource under which the request matches; undefined when it does not. */
export function wanted(
  match: MatchResources,
  attributes: Attributes,
  around: MatchContext,
): ServedResource | undefined {
  if (!inNamespaces(match.namespaceSelector, attributes, around)) return undefined;
  if (!hasLabels(match.objectSelector, attributes)) return undefined;
  const isListed = (rules: readonly AdmissionRule[] | undefined, resource: ServedResource) =>
    (rules ?? []).some((rule) => ruleMatches(rule, attributes, resource));
  const candidates =
    match.matchPolicy === 'Exact' ? [attributes.resource] : equivalents(attributes.resource, around);
  if (candidates.some((resource) => isListed(match.excludeResourceRules, resource))) return undefined;
  // a binding without rules matches all that its policy matches
  if (match.resourceRules === undefined || match.resourceRules.length === 0) return attributes.resource;
  return candidates.find((resource) => isListed(match.resourceRules, resource));
}

const equivalents = (resource: ServedResource, around: MatchContext): ServedResource[] => [
  resource,
  ...around.versionsOf(resource).filter((other) => other !== resource),
];

const has = (values: readonly string[] = [], value: string): boolean =>
  values.includes('*') || values.includes(value);

function ruleMatches(
  rule: AdmissionRule,
  { operation, subresource, name }: Attributes,
  as: ServedResource,
): boolean {
  const { operations, apiGroups, apiVersions, resources = [], resourceNames = [], scope = '*' } = rule;
  if (!has(operations, operation) || !has(apiGroups, as.group) || !has(apiVersions, as.version)) return false;
  const isObjectItself = as.plural === 'namespaces' && as.group === '';
  if (scope === 'Namespaced' && !as.namespaced && !isObjectItself) return false;
  if (scope === 'Cluster' && as.namespaced) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  return resources.some((pattern) => resourceMatches(pattern, as.plural, subresource));
}

function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', below = ''] = pattern.split('/', 2);
  if (resource !== '*' && resource !== plural) return false;
  return below === subresource || below === '*';
}

/** compat: a Namespace is matched by its own labels, other cluster-scoped objects by none. */
function inNamespaces(
  selector: LabelSelector | undefined,
  { resource, namespace, object, old }: Attributes,
  around: MatchContext,
): boolean {
  if (!selector || isBlank(selector)) return true;
  const isNamespace = resource.collection === '/namespaces';
  if (!resource.namespaced && !isNamespace) return true;
  const item = isNamespace ? (object ?? old) : around.namespace(namespace);
  return matches(selectorOf(selector), item?.metadata.labels ?? {});
}

/** The old or the new object may match. */
function hasLabels(selector: LabelSelector | undefined, { object, old }: Attributes): boolean {
  if (!selector || isBlank(selector)) return true;
  const chosen = selectorOf(selector);
  return [object, old].some((item) => item !== undefined && matches(chosen, item.metadata.labels ?? {}));
}

const isBlank = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
