import { equal } from '#base/std';
import { isMaster, type RequestAttributes, type RequestUser } from '../authorize.ts';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { State } from '../state.ts';
import { forbidden, notFound } from '../status.ts';
import { decide, type RoleRef, rulesOf, rulesOfRole } from './rbac.ts';
import { notCovered, type RoleRule } from './rule.ts';

type Change = {
  readonly state: State;
  readonly user: RequestUser;
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly item: Item;
  readonly live: Item | undefined;
};

/**
 * compat cluster 3.18: a user cannot grant, by a role or a binding, permissions that the user lacks, unless the
 * user may `escalate` or `bind`. Throws Forbidden.
 */
export function refuseEscalation(change: Change): void {
  if (isMaster(change.user)) return;
  const { plural } = change.resource;
  if (plural === 'roles' || plural === 'clusterroles') refuseRole(change);
  else if (plural === 'rolebindings' || plural === 'clusterrolebindings') refuseBinding(change);
}

function refuseRole(change: Change): void {
  const { state, user, resource, namespace, item, live } = change;
  const same = (field: string) => live !== undefined && equal(live[field], item[field]);
  if (same('rules') && same('aggregationRule')) return;
  const name = item.metadata.name ?? '';
  if (may(change, { verb: 'escalate', resource: resource.plural, namespace, name })) return;
  if (item.aggregationRule && notCovered(rulesOf(state, user, namespace), everything).length > 0) {
    throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
  refuseRules(change, (item.rules ?? []) as readonly RoleRule[]);
}

const everything: readonly RoleRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function refuseBinding(change: Change): void {
  const { state, resource, namespace, item, live } = change;
  if (live && equal(live.roleRef, item.roleRef) && equal(live.subjects, item.subjects)) return;
  const ref = (item.roleRef ?? {}) as RoleRef;
  const { name = '' } = ref;
  const role =
    ref.kind === 'Role' ? { resource: 'roles', namespace } : { resource: 'clusterroles', namespace };
  if (may(change, { verb: 'bind', ...role, name })) return;
  const rules = rulesOfRole(state, ref, namespace);
  if (!rules) throw notFound(resource, name);
  refuseRules(change, rules);
}

function refuseRules({ state, user, resource, namespace, item }: Change, rules: readonly RoleRule[]): void {
  const missing = notCovered(rulesOf(state, user, namespace), rules);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const who = `user ${JSON.stringify(user.name)} (groups=[${groups}])`;
  const what = `is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`;
  throw forbidden(resource, item.metadata.name ?? '', `${who} ${what}`);
}

type RoleAttributes = { verb: string; resource: string; namespace: string; name: string };

function may({ state, user }: Change, role: RoleAttributes): boolean {
  const attributes: RequestAttributes = { group: 'rbac.authorization.k8s.io', subresource: '', ...role };
  return decide(state, user, attributes).allowed;
}
