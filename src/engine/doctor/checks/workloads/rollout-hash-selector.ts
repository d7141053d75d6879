import type { Check } from '../../check.ts';
import { textAt } from '../../kinds.ts';

/** compat rollouts RC-7. */
export const rolloutHashSelector: Check = {
  id: 'rollout-hash-selector',
  title: 'Git declares the selector that a Rollout writes',
  severity: 'error',
  why: 'the controller of Rollouts writes rollouts-pod-template-hash into the Service to move traffic; a fixed value sends traffic to pods that are long gone.',
  fix: 'remove the key from spec.selector',
  reads: ['Service'],
  onApplication: 'errors',
  *find(object) {
    const at = ['spec', 'selector', 'rollouts-pod-template-hash'];
    if (textAt(object, at) !== undefined)
      yield { at, message: `the selector of ${object.metadata.name} has a fixed rollouts-pod-template-hash` };
  },
};
