import type { Check } from '../../check.ts';
import { knativeService, valueAt } from '../../kinds.ts';

export const knativeSelector: Check = {
  id: 'knative-selector',
  title: 'a selector is written into a Knative Service',
  severity: 'error',
  why: 'commonLabels of Kustomize, and labels with includeSelectors, write spec.selector into everything of kind Service. A Knative Service has no such field, and Knative refuses it.',
  fix: 'replace commonLabels by labels with includeSelectors: false and includeTemplates: true',
  reads: [knativeService],
  onApplication: 'errors',
  *find(object) {
    if (valueAt(object, ['spec', 'selector']) === undefined) return;
    yield {
      at: ['spec', 'selector'],
      message: 'spec.selector is not a field of a Knative Service, and Knative refuses it',
      causedBy: ['commonLabels', 'labels'],
    };
  },
};
