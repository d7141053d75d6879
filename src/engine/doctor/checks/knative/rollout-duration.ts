import type { Check } from '../../check.ts';
import { knativeService, textAt } from '../../kinds.ts';

const annotation = 'serving.knative.dev/rollout-duration';

/** Point 5 of the users' Knative checklist. */
export const knativeRolloutDuration: Check = {
  id: 'knative-rollout-duration',
  title: 'the duration of a rollout is copied into a service',
  severity: 'warning',
  why: 'every deployment of the service then takes at least that long and is reported as RolloutInProgress, which looks stuck; copies drift apart.',
  fix: 'remove the annotation and set rollout-duration once, in the ConfigMap config-network of Knative; keep it only on a service that really needs a slower rollout, with an ignore comment that says why',
  reads: [knativeService],
  onApplication: 'knative',
  *find(object) {
    const value = textAt(object, ['metadata', 'annotations', annotation]);
    if (value === undefined || /^0s?$/.test(value)) return;
    yield {
      at: ['metadata', 'annotations', annotation],
      message: `${object.metadata.name} spreads every rollout over ${value}`,
    };
  },
};
