import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { keepRolloutFields } from './rollout-fields.ts';

const hash = 'rollouts-pod-template-hash';
const managedBy = 'argo-rollouts.argoproj.io/managed-by-rollouts';
const service = (selector: object, annotations?: object) => ({
  ...{ apiVersion: 'v1', kind: 'Service', spec: { selector } },
  metadata: { name: 'web', ...(annotations && { annotations }) },
});
const split = [{ revisionName: 'web-00001', percent: 100 }];
const knative = (spec: object, manager?: string) => ({
  ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Service', spec },
  metadata: {
    name: 'web',
    ...(manager && { managedFields: [{ manager, fieldsV1: { 'f:spec': { 'f:traffic': {} } } }] }),
  },
});

const rollout = (annotations: object) => ({
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
  metadata: { name: 'shop', namespace: 'n', annotations },
});

test.each([
  [
    'RT-3: the pods that a Rollout selects',
    service({ app: 'web' }),
    service({ app: 'web', [hash]: 'abc' }, { [managedBy]: 'web' }),
    service({ app: 'web', [hash]: 'abc' }, { [managedBy]: 'web' }),
  ],
  [
    'but not those that another actor selects',
    service({ app: 'web' }),
    service({ app: 'web', [hash]: 'abc' }),
    service({ app: 'web' }),
  ],
  [
    'and not over those that Git selects',
    service({ [hash]: 'git' }),
    service({ [hash]: 'abc' }, { [managedBy]: 'web' }),
    service({ [hash]: 'git' }, { [managedBy]: 'web' }),
  ],
  [
    'vector 72: the traffic that a Rollout pins',
    knative({ template: {} }),
    knative({ template: {}, traffic: split }, 'fairlead-rollouts'),
    knative({ template: {}, traffic: split }),
  ],
  [
    'but not traffic that another actor wrote',
    knative({ template: {} }),
    knative({ template: {}, traffic: split }, 'kn'),
    knative({ template: {} }),
  ],
  [
    'RK-14: the record of a manual override on a Rollout, which a sync must not lift',
    rollout({ team: 'a' }),
    rollout({ 'fairlead.io/manual-traffic': '{}', other: 'b' }),
    rollout({ 'fairlead.io/manual-traffic': '{}', team: 'a' }),
  ],
  [
    'and not over traffic that Git declares',
    knative({ traffic: [{ latestRevision: true, percent: 100 }] }),
    knative({ traffic: split }, 'fairlead-rollouts'),
    knative({ traffic: [{ latestRevision: true, percent: 100 }] }),
  ],
])('a replaced object keeps %s', (_what, target, live, kept) => {
  expect(keepRolloutFields(target as KubeObject, live as KubeObject)).toEqual(kept);
});
