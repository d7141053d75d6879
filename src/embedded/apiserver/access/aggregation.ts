import { type LabelSelector, matches, selectorOf } from '#base/model';
import { equal } from '#base/std';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { Core } from '../core.ts';
import type { Item } from '../item.ts';
import { internalWrite, resourceFor } from '../write/internal-write.ts';
import { patch } from '../write/patch.ts';
import type { RoleRule } from './rule.ts';

const collection = 'rbac.authorization.k8s.io/clusterroles';

type Role = Item & {
  readonly rules?: readonly RoleRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
};

/** compat cluster 3.18: a ClusterRole with an aggregationRule has the rules of all roles it selects. */
export function startAggregation(core: Core, tasks: BackgroundTasks): void {
  const reconcile = () => tasks.add('cluster roles', () => aggregateAll(core));
  core.state.onCommit((change) => {
    if (change.collection.id === collection) reconcile();
  });
  reconcile();
}

function aggregateAll(core: Core): void {
  const roles = core.state
    .collection(collection)
    .list()
    .map(({ item }) => item as Role);
  for (const role of roles) {
    if (!role.aggregationRule) continue;
    const rules = gathered(role, roles);
    if (equal(rules, role.rules ?? [])) continue;
    const { apiVersion, kind } = role;
    const name = role.metadata.name ?? '';
    const writing = internalWrite(core, resourceFor(core, role), 'clusterrole-aggregation-controller');
    const body = { apiVersion, kind, metadata: { name }, rules };
    patch(writing, name, { type: 'apply', body }, true);
  }
}

function gathered(role: Role, roles: readonly Role[]): RoleRule[] {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map(selectorOf);
  const rules = new Map<string, RoleRule>();
  for (const selector of selectors) {
    for (const other of roles) {
      if (other.metadata.name === role.metadata.name || !matches(selector, other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules.values()];
}
