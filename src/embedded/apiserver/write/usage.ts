import { addQuantities, canonicalQuantity, compareQuantities, quantityOf } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { type Item, specOf } from '../item.ts';

/** Amounts by the resource names of a quota. */
export type Usage = Readonly<Record<string, string>>;

/** Core kinds that a quota may count by their plain name. */
const counted = new Set([
  'services',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
]);

/** The usage of one object. */
export function usageOf(collection: string, item: Item): Usage {
  const [group = '', plural = ''] = collection.split('/');
  const count = { [`count/${plural}${group === '' ? '' : `.${group}`}`]: '1' };
  if (group !== '') return count;
  if (plural === 'pods') return { ...count, ...podUsage(item) };
  const plain = counted.has(plural) ? { ...count, [plural]: '1' } : count;
  if (plural === 'services') return { ...plain, ...serviceUsage(specOf(item)) };
  return plural === 'persistentvolumeclaims' ? { ...plain, ...claimUsage(specOf(item)) } : plain;
}

function serviceUsage({ type, ports, allocateLoadBalancerNodePorts }: JsonObject): Usage {
  const isBalanced = type === 'LoadBalancer';
  const hasNodePorts = type === 'NodePort' || (isBalanced && allocateLoadBalancerNodePorts !== false);
  return {
    'services.nodeports': String(hasNodePorts && Array.isArray(ports) ? ports.length : 0),
    'services.loadbalancers': isBalanced ? '1' : '0',
  };
}

function claimUsage({ resources, storageClassName }: JsonObject): Usage {
  const requests = isObject(resources) && isObject(resources.requests) ? resources.requests : {};
  const storage = String(requests.storage ?? '0');
  if (typeof storageClassName !== 'string' || storageClassName === '') return { 'requests.storage': storage };
  const prefix = `${storageClassName}.storageclass.storage.k8s.io`;
  return {
    'requests.storage': storage,
    [`${prefix}/requests.storage`]: storage,
    [`${prefix}/persistentvolumeclaims`]: '1',
  };
}

/** compat cluster 3.13: a finished pod uses nothing. */
function podUsage(item: Item): Usage {
  const { phase } = (isObject(item.status) ? item.status : {}) as { phase?: string };
  if (phase === 'Succeeded' || phase === 'Failed') return {};
  const requests = podTotal(item, 'requests');
  const limits = podTotal(item, 'limits');
  return {
    pods: '1',
    ...requests,
    ...Object.fromEntries(Object.entries(requests).map(([name, value]) => [`requests.${name}`, value])),
    ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value])),
  };
}

/** The sum of all containers, or the largest init container, whichever is more. */
function podTotal(item: Item, field: 'requests' | 'limits'): Usage {
  const lists = (name: string): JsonObject[] =>
    ((specOf(item)[name] ?? []) as unknown[])
      .filter(isObject)
      .map(({ resources }) => (isObject(resources) && isObject(resources[field]) ? resources[field] : {}));
  const total = addUsage(...(lists('containers') as Usage[]));
  const result: Record<string, string> = { ...total };
  for (const list of lists('initContainers')) {
    for (const [name, value] of Object.entries(list)) {
      const [now, requested] = [quantityOf(result[name] ?? 0) ?? 0, quantityOf(value) ?? 0];
      if (compareQuantities(requested, now) > 0) result[name] = canonicalQuantity(requested);
    }
  }
  return result;
}

export function addUsage(...all: readonly Usage[]): Usage {
  const result: Record<string, string> = {};
  for (const usage of all) {
    for (const [name, value] of Object.entries(usage)) {
      result[name] = canonicalQuantity(addQuantities(result[name] ?? 0, quantityOf(value) ?? 0));
    }
  }
  return result;
}
