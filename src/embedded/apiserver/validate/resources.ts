import { compareQuantities, labelKeyProblems, quantityOf, scaledValue } from '#base/model';
import type { FieldCheck } from './check.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isHuge = (name: string): boolean => name.startsWith('hugepages-');
/** compat cluster 3.13: only these may be requested without a limit, or below it. */
const isElastic = (name: string): boolean => standard.has(name);

/** The requests and limits of a container: known names, whole numbers where required, no request above its limit. */
export function checkResources(resources: FieldCheck): void {
  const limits = resources.field('limits');
  const requests = resources.field('requests');
  for (const name of Object.keys(limits.object)) checkAmount(limits.key(name), name);
  let isUnlimited = false;
  for (const name of Object.keys(requests.object)) {
    checkAmount(requests.key(name), name);
    isUnlimited ||= checkWithin(requests, limits.object[name], name);
  }
  if (isUnlimited) limits.lacking('Limit must be set for non overcommitable resources');
}

/** The name and the amount of one resource; `whole`: it is indivisible. */
function checkAmount(amount: FieldCheck, name: string): void {
  const wrong = labelKeyProblems(name);
  for (const problem of wrong) amount.invalid(problem, name);
  if (!name.includes('/') && !standard.has(name) && !isHuge(name)) {
    if (wrong.length === 0) amount.invalid('must be a standard resource type or fully qualified', name);
    amount.invalid('must be a standard resource for containers', name);
  }
  const quantity = quantityOf(amount.value);
  if (quantity === undefined) return;
  if (compareQuantities(quantity, 0) < 0) amount.invalid('must be greater than or equal to 0');
  if (name.includes('/') && compareQuantities(scaledValue(quantity), quantity) !== 0) {
    amount.invalid('must be an integer');
  }
}

/** Whether the limit that this resource needs is missing. */
function checkWithin(requests: FieldCheck, limit: unknown, name: string): boolean {
  const amount = requests.object[name];
  const [requested, most] = [quantityOf(amount), quantityOf(limit)];
  if (requested === undefined) return false;
  if (most === undefined) return name.includes('/') && !name.includes('kubernetes.io/');
  const order = compareQuantities(requested, most);
  if (isElastic(name)) {
    if (order > 0) {
      requests.invalid(`must be less than or equal to ${name} limit of ${String(limit)}`, amount);
    }
  } else if (order !== 0) requests.invalid(`must be equal to ${name} limit of ${String(limit)}`, amount);
  return false;
}
