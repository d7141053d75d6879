import { canonicalQuantity, quantityOf } from '#base/model';
import type { JsonObject } from '#base/std';
import type { Check } from '../../check.ts';
import { containersOf, objectAt, podKinds } from '../../kinds.ts';

/** Point 7 of the users' Knative checklist. */
export const quantityForm: Check = {
  id: 'quantity-form',
  title: 'a quantity is not written as Kubernetes stores it',
  severity: 'warning',
  why: 'Kubernetes stores 1000m as 1. Fairlead compares by value; Argo CD and a diff by eye do not, and the application is OutOfSync for ever.',
  fix: 'write it as Kubernetes stores it',
  reads: podKinds,
  onApplication: 'knative',
  *find(object) {
    for (const { path, container, words } of containersOf(object)) {
      for (const list of ['requests', 'limits']) {
        for (const [name, value, stored] of respelt(objectAt(container, ['resources', list]))) {
          const at = [...path, 'resources', list, name];
          yield {
            at,
            message: `${name} in the ${list} of ${words} is ${value}, which Kubernetes stores as ${stored}`,
            mend: { path: at, value: stored },
          };
        }
      }
    }
  },
};

/** The quantities that Kubernetes spells in another way: the name, what is written and what is stored. */
function* respelt(list: JsonObject): Generator<[string, string, string]> {
  for (const [name, value] of Object.entries(list)) {
    const quantity = quantityOf(value);
    const stored = quantity && canonicalQuantity(quantity);
    if (stored !== undefined && stored !== String(value)) yield [name, String(value), stored];
  }
}
