import { compareQuantities, quantityOf } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';

type Amounts = { readonly cpu?: unknown; readonly memory?: unknown };

/** The QoS class of a pod, from the requests and limits of its containers. */
export function qualityOf(spec: unknown): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = isObject(spec) ? [spec.containers, spec.initContainers].flat().filter(isObject) : [];
  const all = containers.map((container) => (isObject(container.resources) ? container.resources : {}));
  if (!all.some(requestsAnything)) return 'BestEffort';
  return all.every(isFixed) ? 'Guaranteed' : 'Burstable';
}

const amounts = (value: unknown): Amounts => (isObject(value) ? value : {});

function requestsAnything({ limits, requests }: JsonObject): boolean {
  return [amounts(limits), amounts(requests)].some(
    ({ cpu, memory }) => cpu !== undefined || memory !== undefined,
  );
}

function isFixed({ limits, requests }: JsonObject): boolean {
  return (['cpu', 'memory'] as const).every((name) => {
    const written = amounts(limits)[name];
    const [limit, request] = [quantityOf(written), quantityOf(amounts(requests)[name] ?? written)];
    return limit !== undefined && request !== undefined && compareQuantities(request, limit) === 0;
  });
}
