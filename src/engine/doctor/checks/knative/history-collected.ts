import type { Check } from '../../check.ts';
import { rollout, textAt, valueAt } from '../../kinds.ts';
import { knativeSettings } from '../../knative-settings.ts';
import { collectionBy } from '../../revision-collection.ts';

const plugin = ['spec', 'strategy', 'canary', 'trafficRouting', 'plugins', 'fairlead.io/knative'];

/** compat rollouts RK-13. */
export const knativeHistoryCollected: Check = {
  id: 'knative-history-collected',
  title: 'Knative may collect the Revision that a Rollout returns to',
  severity: 'warning',
  why: 'a version that was promoted lately is the way back from a bad one: while its Revision exists, rollbackWindow skips the steps for it, and traffic can name it at once.',
  fix: 'set min-non-active-revisions of config-gc to at least what the Rollout needs, or disable both retain-since settings, and keep max-non-active-revisions above it',
  reads: [rollout],
  *find(object, inventory) {
    const service = textAt(object, [...plugin, 'service']);
    if (service === undefined) return;
    const window = valueAt(object, ['spec', 'rollbackWindow', 'revisions']);
    const needed = typeof window === 'number' ? Math.max(1, window) : 1;
    const strictest = knativeSettings(inventory, 'config-gc')
      .map(collectionBy)
      .toSorted((left, right) => left.kept - right.kept)[0];
    if (!strictest || strictest.kept >= needed) return;
    const has = window === undefined ? 'the Rollout' : `rollbackWindow of ${needed}`;
    const earlier = needed === 1 ? 'the Revision' : `each of the ${needed} Revisions`;
    yield {
      at: window === undefined ? [...plugin, 'service'] : ['spec', 'rollbackWindow', 'revisions'],
      message: `${has} needs ${earlier} of ${service} before the stable one${strictest.words}`,
    };
  },
};
