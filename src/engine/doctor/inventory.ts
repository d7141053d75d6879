import type { KubeObject } from '#base/model';
import type { Inventory } from './check.ts';
import { kindKey } from './kinds.ts';

/** What is known beside the objects themselves; everything has a default. */
export type InventoryFacts = Partial<
  Pick<Inventory, 'targetsOf' | 'sourcesOf' | 'revisionsOf' | 'isLive' | 'isWhole'>
>;

/** An inventory of these objects. */
export function inventoryOf(objects: readonly KubeObject[], facts: InventoryFacts = {}): Inventory {
  const byKind = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const key = kindKey(object);
    const known = byKind.get(key);
    if (known) known.push(object);
    else byKind.set(key, [object]);
  }
  return {
    all: (kind) => byKind.get(kind) ?? [],
    targetsOf: facts.targetsOf ?? (() => []),
    sourcesOf: facts.sourcesOf ?? (() => []),
    revisionsOf: facts.revisionsOf ?? (() => undefined),
    isLive: facts.isLive ?? false,
    isWhole: facts.isWhole ?? false,
  };
}
