import type { FieldCheck } from './check.ts';
import { checkSelectorFields } from './selector.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** compat cluster 3.13: the rules that select the requests of a webhook or a policy. */
export function checkRule(rule: FieldCheck): void {
  const requested = rule.field('operations');
  if (requested.items().length === 0) requested.lacking();
  for (const operation of requested.items()) {
    if (!operations.includes(operation.text)) operation.unsupported(operations);
  }
  refuseMixed(requested, 'operations');
  for (const [field, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    if (rule.field(field).items().length === 0) rule.field(field).lacking();
    refuseMixed(rule.field(field), what);
  }
  checkResources(rule.field('resources'));
  rule.field('scope').oneOf(['*', 'Cluster', 'Namespaced']);
}

function refuseMixed(list: FieldCheck, what: string): void {
  const texts = list.items().map(({ text }) => text);
  if (texts.length > 1 && texts.includes('*'))
    list.invalid(`if '*' is present, must not specify other ${what}`);
}

function checkResources(list: FieldCheck): void {
  const items = list.items();
  if (items.length === 0) list.lacking();
  refuseCovered(items);
  if (items.length > 1 && items.some(({ text }) => text === '*/*')) {
    list.invalid(`if '*/*' is present, must not specify other resources`);
  }
}

/** Refuses a resource that an earlier one already covers. */
function refuseCovered(items: readonly FieldCheck[]): void {
  const wholes = new Set<string>();
  const belows = new Set<string>();
  for (const item of items) {
    const [resource = '', below = ''] = item.text.split('/', 2);
    if (item.text === '') item.lacking();
    if (wholes.has(resource)) item.invalid(`if '${resource}/*' is present, must not specify ${item.text}`);
    if (belows.has(below)) item.invalid(`if '*/${below}' is present, must not specify ${item.text}`);
    if (below === '*') wholes.add(resource);
    if (resource === '*' && below !== '') belows.add(below);
  }
}

/** Checks the match criteria of a policy or a binding. */
export function checkMatch(match: FieldCheck): void {
  match.field('matchPolicy').oneOf(['Equivalent', 'Exact']);
  checkSelectorFields(match.field('namespaceSelector'));
  checkSelectorFields(match.field('objectSelector'));
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of match.field(field).items()) checkRule(rule);
  }
}
