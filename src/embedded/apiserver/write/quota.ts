import { addQuantities, canonicalQuantity, compareQuantities, quantityOf } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { Core } from '../core.ts';
import { type Item, nameOf, specOf } from '../item.ts';
import { forbidden } from '../status.ts';
import { addUsage, type Usage, usageOf } from './usage.ts';
import type { Writing } from './writing.ts';

const quotaCollection = '/resourcequotas';

const hardOf = (quota: Item): Usage => (isObject(specOf(quota).hard) ? (specOf(quota).hard as Usage) : {});

/** Throws Forbidden when a quota of the namespace would be exceeded, or cannot be evaluated. */
export function refuseBeyondQuota(writing: Writing, item: Item, live: Item | undefined): void {
  const { core, namespace, resource } = writing;
  if (namespace === '') return;
  const quotas = core.state.collection(quotaCollection).list(namespace);
  if (quotas.length === 0 || resource.collection === quotaCollection) return;
  const wanted = usageOf(resource.collection, item);
  const before = live ? usageOf(resource.collection, live) : {};
  for (const { item: quota } of quotas) {
    if (!applies(quota, resource.collection, item)) continue;
    const problem =
      (live ? undefined : unsaid(quota, resource.collection, item)) ??
      excess(core, quota, { namespace, wanted, before });
    if (problem !== undefined) throw forbidden(resource, nameOf(item), problem);
  }
}

/** compat cluster 3.13: a quota with scopes counts only pods that are in all of them. */
function applies(quota: Item, collection: string, item: Item): boolean {
  const scopes = (specOf(quota).scopes ?? []) as readonly string[];
  return scopes.every((scope) => collection === '/pods' && inScope(scope, specOf(item)));
}

function inScope(scope: string, spec: JsonObject): boolean {
  const hasDeadline = spec.activeDeadlineSeconds !== undefined;
  const requests = ((spec.containers ?? []) as JsonObject[]).some(
    ({ resources }) => isObject(resources) && Object.keys(resources).length > 0,
  );
  switch (scope) {
    case 'Terminating':
      return hasDeadline;
    case 'NotTerminating':
      return !hasDeadline;
    case 'BestEffort':
      return !requests;
    case 'NotBestEffort':
      return requests;
    default:
      return spec.priorityClassName !== undefined;
  }
}

/** The requests and limits that a quota demands of every container, and the containers that lack them. */
function unsaid(quota: Item, collection: string, item: Item): string | undefined {
  if (collection !== '/pods') return undefined;
  const containers = [specOf(item).containers, specOf(item).initContainers].flat().filter(isObject);
  const missing = Object.keys(hardOf(quota))
    .filter((name) => /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/.test(name))
    .sort()
    .map((name) => ({
      name,
      by: containers.filter((one) => !says(one, name)).map((one) => String(one.name)),
    }))
    .filter(({ by }) => by.length > 0);
  if (missing.length === 0) return undefined;
  const list = missing.map(({ name, by }) => `${name} for: ${by.sort().join(',')}`);
  return `failed quota: ${nameOf(quota)}: must specify ${list.join('; ')}`;
}

function says({ resources }: JsonObject, name: string): boolean {
  const field = name.startsWith('limits.') ? 'limits' : 'requests';
  const amounts = isObject(resources) ? resources[field] : undefined;
  return isObject(amounts) && amounts[name.replace(/^(?:requests|limits)\./, '')] !== undefined;
}

type Change = { readonly namespace: string; readonly wanted: Usage; readonly before: Usage };

function excess(core: Core, quota: Item, { namespace, wanted, before }: Change): string | undefined {
  const hard = hardOf(quota);
  const grown = Object.keys(hard)
    .filter((name) => wanted[name] !== undefined)
    .map((name) => ({ name, by: difference(wanted[name], before[name]) }))
    .filter(({ by }) => compareQuantities(by, 0) > 0);
  if (grown.length === 0) return undefined;
  const used = usedBy(core, quota, namespace);
  const over = grown
    .filter(({ name, by }) => compareQuantities(addQuantities(used[name] ?? 0, by), hard[name] ?? 0) > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (over.length === 0) return undefined;
  const reported = (value: (name: string, by: string) => string) =>
    over.map(({ name, by }) => `${name}=${value(name, by)}`).join(',');
  return `exceeded quota: ${nameOf(quota)}, requested: ${reported((_name, by) => by)}, used: ${reported((name) => used[name] ?? '0')}, limited: ${reported((name) => hard[name] ?? '')}`;
}

function difference(next: unknown, before: unknown): string {
  const old = quantityOf(before ?? 0) ?? 0;
  const negated = canonicalQuantity(old);
  const minus = negated.startsWith('-') ? negated.slice(1) : `-${negated}`;
  return canonicalQuantity(addQuantities(quantityOf(next ?? 0) ?? 0, negated === '0' ? 0 : minus));
}

/** The usage of a namespace, for all resources of a quota. */
export function usedBy(core: Core, quota: Item, namespace: string): Usage {
  const hard = hardOf(quota);
  const zero = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  const all = [...core.state.collections()].flatMap((collection) =>
    collection
      .list(namespace)
      .filter(({ item }) => applies(quota, collection.id, item))
      .map(({ item }) => usageOf(collection.id, item)),
  );
  const total = addUsage(...all);
  return Object.fromEntries(Object.keys(zero).map((name) => [name, total[name] ?? '0']));
}
