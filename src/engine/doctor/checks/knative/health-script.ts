import { isObject } from '#base/std';
import type { Check } from '../../check.ts';
import { valueAt } from '../../kinds.ts';

const prefix = /^resource\.customizations\.health\.(?:[\w.-]*\.)?knative\.dev_(\w+)$/;

/** Point 1 of the users' Knative checklist: the health of Knative's kinds is built in, and a script replaces it. */
export const knativeHealthScript: Check = {
  id: 'knative-health-script',
  title: 'a health script for Knative believes a stale condition',
  severity: 'warning',
  why: 'the script replaces the built-in health of the kind. Without comparing status.observedGeneration with metadata.generation, the Ready=True of the last revision releases the next wave before the new one exists.',
  fix: 'remove the script: the health of all kinds of Knative is built in',
  reads: ['ConfigMap'],
  *find({ metadata, ...rest }) {
    const data = valueAt(rest, ['data']);
    if (metadata.name !== 'argocd-cm' || !isObject(data)) return;
    for (const [key, script] of Object.entries(data)) {
      const kind = prefix.exec(key)?.[1];
      if (kind === undefined || typeof script !== 'string' || script.includes('observedGeneration')) continue;
      yield {
        at: ['data', key],
        message: `the health of a Knative ${kind} is judged without its observedGeneration`,
      };
    }
  },
};
