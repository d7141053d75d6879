import { type AccessDecision, isMaster, type RequestAttributes, type RequestUser } from '../authorize.ts';
import { type Item, itemKey } from '../item.ts';
import type { State } from '../state.ts';
import { allows, type RoleRule } from './rule.ts';

const api = 'rbac.authorization.k8s.io';

/**
 * The rules that a binding grants to a user, and a description of the binding; or a role that it names and that is
 * missing.
 */
export type Grant =
  | { readonly rules: readonly RoleRule[]; readonly by: string }
  | { readonly missing: string };

export type RoleRef = { readonly kind?: string; readonly name?: string };
type Subject = { readonly kind?: string; readonly name?: string; readonly namespace?: string };
type Binding = Item & { readonly roleRef?: RoleRef; readonly subjects?: readonly Subject[] };

/** Whether the roles bound to the user allow the attributes (compat cluster 3.18). */
export function decide(state: State, user: RequestUser, attributes: RequestAttributes): AccessDecision {
  if (isMaster(user)) return { allowed: true, reason: '' };
  const namespace = 'path' in attributes ? '' : attributes.namespace;
  const missing: string[] = [];
  for (const grant of grantsOf(state, user, namespace)) {
    if ('missing' in grant) missing.push(grant.missing);
    else if (grant.rules.some((rule) => allows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${grant.by}` };
    }
  }
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${listed(missing)}` };
}

const listed = (words: readonly string[]): string =>
  words.length === 1 ? (words[0] ?? '') : `[${[...new Set(words)].join(', ')}]`;

/** Every rule the user has in a namespace ('': in the whole cluster). */
export const rulesOf = (state: State, user: RequestUser, namespace: string): RoleRule[] =>
  [...grantsOf(state, user, namespace)].flatMap((grant) => ('missing' in grant ? [] : grant.rules));

/** The rules of the role that a binding names; undefined when the role does not exist. */
export function rulesOfRole(
  state: State,
  { kind, name = '' }: RoleRef,
  namespace: string,
): readonly RoleRule[] | undefined {
  const found =
    kind === 'Role'
      ? state.collection(`${api}/roles`).get(itemKey(namespace, name))
      : state.collection(`${api}/clusterroles`).get(itemKey('', name));
  return found && ((found.item.rules ?? []) as readonly RoleRule[]);
}

function* grantsOf(state: State, user: RequestUser, namespace: string): Generator<Grant> {
  yield* bound(state, user, state.collection(`${api}/clusterrolebindings`).list(), '');
  if (namespace !== '')
    yield* bound(state, user, state.collection(`${api}/rolebindings`).list(namespace), namespace);
}

function* bound(
  state: State,
  user: RequestUser,
  bindings: readonly { readonly item: Item }[],
  namespace: string,
): Generator<Grant> {
  for (const { item } of bindings) {
    const { roleRef = {}, subjects = [] } = item as Binding;
    const subject = subjects.find((one) => isMeant(one, user, namespace));
    if (!subject) continue;
    const rules = rulesOfRole(state, roleRef, namespace);
    const kind = roleRef.kind ?? 'ClusterRole';
    yield rules
      ? {
          rules,
          by: `${nameOfBinding(item, namespace)} of ${kind} "${roleRef.name}" to ${nameOf(subject, namespace)}`,
        }
      : { missing: `${kind.toLowerCase()}.${api} "${roleRef.name}" not found` };
  }
}

const nameOfBinding = ({ metadata }: Item, namespace: string): string =>
  namespace === '' ? `ClusterRoleBinding "${metadata.name}"` : `RoleBinding "${metadata.name}/${namespace}"`;

const nameOf = ({ kind, name, namespace }: Subject, home: string): string =>
  kind === 'ServiceAccount' ? `ServiceAccount "${name}/${namespace || home}"` : `${kind} "${name}"`;

function isMeant({ kind, name = '', namespace }: Subject, user: RequestUser, home: string): boolean {
  if (kind === 'User') return name === user.name;
  if (kind === 'Group') return user.groups.includes(name);
  return kind === 'ServiceAccount' && user.name === `system:serviceaccount:${namespace || home}:${name}`;
}
