import type { JsonObject } from '#base/std';
import type { Inventory } from './check.ts';
import { objectAt } from './kinds.ts';

const namespace = 'knative-serving';

/**
 * The data of one of Knative's ConfigMaps (`config-gc`, `config-features`), wherever it is written: as the ConfigMap, or in the
 * KnativeServing of Knative's operator. Empty: nothing that was read says.
 */
export function knativeSettings(inventory: Inventory, name: string): readonly JsonObject[] {
  const maps = inventory
    .all('ConfigMap')
    .filter(({ metadata }) => metadata.name === name && (metadata.namespace ?? namespace) === namespace)
    .map((map) => objectAt(map, ['data']));
  const short = name.replace(/^config-/, '');
  const operated = inventory.all('operator.knative.dev/KnativeServing').map((serving) => ({
    ...objectAt(serving, ['spec', 'config', short]),
    ...objectAt(serving, ['spec', 'config', name]),
  }));
  return [...maps, ...operated];
}

/** Whether a feature that is off by default is enabled; undefined: nothing says, or installations differ. */
export function knativeFeature(inventory: Inventory, feature: string): boolean | undefined {
  // a file may hold a part of the ConfigMap; what a cluster has is all of it
  const found = knativeSettings(inventory, 'config-features')
    .filter((data) => inventory.isLive || data[feature] !== undefined)
    .map((data) => String(data[feature] ?? '').toLowerCase() === 'enabled');
  return found.every((one) => one === found[0]) ? found[0] : undefined;
}
