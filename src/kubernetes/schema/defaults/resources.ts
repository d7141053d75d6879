import { canonicalQuantity, quantityOf, roundUpQuantity } from '#base/model';
import { isObject, type JsonObject } from '../type-node.ts';
import { type DefaultingStep, eachValue, steps } from './fill.ts';

/** compat cluster 3.12: resource lists are kept to thousandths, rounded up. */
export const roundUp =
  (name: string): DefaultingStep =>
  (part) =>
    eachValue(part, name, (value) => {
      const quantity = quantityOf(value);
      return quantity === undefined ? value : canonicalQuantity(roundUpQuantity(quantity, milli));
    });

const milli = -3;

/** Both lists of a `resources` field. */
export const roundUpResources: DefaultingStep = steps(roundUp('limits'), roundUp('requests'));

/** compat cluster 3.12: the requests of a pod (never of a template) default to its limits. */
export function requestLimits(resources: JsonObject): JsonObject {
  const { limits, requests } = resources;
  if (!isObject(limits)) return resources;
  const requested = isObject(requests) ? requests : {};
  const isComplete = Object.keys(limits).every((name) => Object.hasOwn(requested, name));
  return isComplete ? resources : { ...resources, requests: { ...limits, ...requested } };
}
