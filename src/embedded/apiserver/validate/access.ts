import { equal } from '#base/std';
import type { FieldCheck } from './check.ts';
import { checkSegment } from './network.ts';

const group = 'rbac.authorization.k8s.io';

export function checkRole(role: FieldCheck): void {
  for (const rule of role.field('rules').items()) checkRule(rule, true);
}

export function checkClusterRole(role: FieldCheck): void {
  for (const rule of role.field('rules').items()) checkRule(rule, false);
  const aggregation = role.field('aggregationRule');
  const selectors = aggregation.field('clusterRoleSelectors');
  if (aggregation.isSet && selectors.items().length === 0) {
    selectors.lacking('at least one clusterRoleSelector required if aggregationRule is non-nil');
  }
}

function checkRule(rule: FieldCheck, isNamespaced: boolean): void {
  const has = (field: string) => rule.field(field).items().length > 0;
  if (!has('verbs')) rule.field('verbs').lacking('verbs must contain at least one value');
  const urls = rule.field('nonResourceURLs');
  if (has('nonResourceURLs')) {
    if (isNamespaced) urls.invalid('namespaced rules cannot apply to non-resource URLs');
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      urls.invalid('rules cannot apply to both regular resources and non-resource URLs');
    }
    return;
  }
  if (!has('apiGroups')) rule.field('apiGroups').lacking('resource rules must supply at least one api group');
  if (!has('resources')) rule.field('resources').lacking('resource rules must supply at least one resource');
}

export const checkRoleBinding = (binding: FieldCheck): void => checkBinding(binding, ['Role', 'ClusterRole']);
export const checkClusterRoleBinding = (binding: FieldCheck): void => checkBinding(binding, ['ClusterRole']);

function checkBinding(binding: FieldCheck, kinds: readonly string[]): void {
  const role = binding.field('roleRef');
  if (role.field('apiGroup').value !== group) {
    role.field('apiGroup').unsupported([group], role.field('apiGroup').text);
  }
  if (!kinds.includes(role.field('kind').text))
    role.field('kind').unsupported(kinds, role.field('kind').text);
  checkSegment(role.field('name'));
  for (const subject of binding.field('subjects').items()) checkSubject(subject, kinds.length === 1);
}

function checkSubject(subject: FieldCheck, isClusterWide: boolean): void {
  const { kind } = subject.object;
  if (!subject.field('name').isSet) subject.field('name').lacking();
  const api = subject.field('apiGroup');
  if (kind === 'ServiceAccount') {
    if (api.isSet) api.unsupported(['']);
    if (isClusterWide && !subject.field('namespace').isSet) subject.field('namespace').lacking();
  } else if (kind === 'User' || kind === 'Group') {
    if (api.value !== group) api.unsupported([group]);
  } else subject.field('kind').unsupported(['ServiceAccount', 'User', 'Group']);
}

export function keepRoleRef(next: FieldCheck, live: FieldCheck): void {
  const role = next.field('roleRef');
  if (equal(role.value, live.field('roleRef').value)) return;
  const { apiGroup = '', kind = '', name = '' } = role.object;
  role.invalid('cannot change roleRef', { APIGroup: apiGroup, Kind: kind, Name: name });
}
