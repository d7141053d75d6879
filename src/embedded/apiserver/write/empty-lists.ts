import { isObject } from '#kubernetes/schema';
import { type Item, withField } from '../item.ts';
import type { ServedResource } from '../kinds.ts';

/** Lists that are printed even when they are empty. */
const printed: Readonly<Record<string, readonly (readonly [string, string?])[]>> = {
  '/limitranges': [['spec', 'limits']],
  'discovery.k8s.io/endpointslices': [['endpoints'], ['ports']],
  'rbac.authorization.k8s.io/roles': [['rules']],
  'rbac.authorization.k8s.io/clusterroles': [['rules']],
};

/** compat cluster 3.12: a list that is stored empty is omitted when read. */
export function withoutEmptyLists({ collection }: ServedResource, item: Item): Item {
  let next = item;
  for (const [field, inner] of printed[collection] ?? []) {
    const value = next[field];
    if (inner === undefined) {
      if (isEmpty(value)) next = withField(next, field, null);
    } else if (isObject(value) && isEmpty(value[inner])) {
      next = withField(next, field, { ...value, [inner]: null });
    }
  }
  return next;
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
