import { keyValue, patchOf } from './directives.ts';

/** By what an item is known in its list: its merge key's value, or itself when it is a scalar. */
export type ItemIdentity = (item: unknown) => unknown;

export const identityBy =
  (mergeKey: string | undefined): ItemIdentity =>
  (item) =>
    mergeKey === undefined ? item : keyValue(item, mergeKey);

/** The first index of each identity. */
export function positions(items: readonly unknown[], identity: ItemIdentity): Map<unknown, number> {
  const found = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const known = identity(item);
    if (!found.has(known)) found.set(known, index);
  }
  return found;
}

/** Items by their index in `order`, deletions last. Items that the order does not name stay at the end. */
export function sortedBy(
  items: readonly unknown[],
  order: Map<unknown, number>,
  identity: ItemIdentity,
): unknown[] {
  const place = (item: unknown): number => order.get(identity(item)) ?? Number.MAX_SAFE_INTEGER;
  const kept = items.filter((item) => patchOf(item) !== 'delete');
  const deletions = items.filter((item) => patchOf(item) === 'delete');
  for (const item of deletions) identity(item);
  return [...kept.sort((a, b) => place(a) - place(b)), ...deletions];
}

export type Orders = { readonly patch: readonly unknown[]; readonly live: readonly unknown[] };

/**
 * compat cluster 3.11: the patch decides the order of what it names; what only the server has is woven in where it stood
 * relative to its neighbours.
 */
export function arrange(merged: readonly unknown[], orders: Orders, identity: ItemIdentity): unknown[] {
  const patchOrder = positions(orders.patch, identity);
  const liveOrder = positions(orders.live, identity);
  const isNamed = (item: unknown): boolean => patchOrder.has(identity(item));
  const named = sortedBy(merged.filter(isNamed), patchOrder, identity);
  const others = sortedBy(
    merged.filter((item) => !isNamed(item)),
    liveOrder,
    identity,
  );
  return weave(others, named, (item) => liveOrder.get(identity(item)));
}

function weave(left: unknown[], right: unknown[], place: (item: unknown) => number | undefined): unknown[] {
  const woven: unknown[] = [];
  let taken = 0;
  for (const item of right) {
    const limit = place(item);
    while (taken < left.length && isBefore(place(left[taken]), limit)) woven.push(left[taken++]);
    woven.push(item);
  }
  return [...woven, ...left.slice(taken)];
}

const isBefore = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && a < b;
