import { expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { defaultSettings } from '#base/model';
import { endedOverrides, overrideAnnotation, type TrafficOverride } from '#engine/traffic';
import { compare } from './compare.ts';
import { actionable } from './sync-status.ts';
import { defaultTracking } from './tracking.ts';

const split = (revisionName: string) => [{ revisionName, percent: 100 }];
const service = (traffic?: unknown, more: object = {}): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'n' },
  spec: {
    template: { spec: { containers: [{ image: 'a' }] } },
    ...(traffic !== undefined && { traffic }),
    ...more,
  },
});
const record: TrafficOverride = {
  service: 'shop',
  namespace: 'n',
  traffic: split('v1'),
  action: 'rollback',
  by: 'ann',
  at: '2026-01-01T00:00:00Z',
  reason: 'errors',
};
const appWith = (text: string | undefined): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'a', namespace: 'argocd', ...(text && { annotations: { [overrideAnnotation]: text } }) },
  spec: { project: 'default', destination: { server: 's', namespace: 'n' } },
});
const tracked = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { 'argocd.argoproj.io/tracking-id': 'a:serving.knative.dev/Service:n/shop' },
  },
});

function compared(app: Application, target: KubeObject, live: KubeObject) {
  const sides = { target: { objects: [tracked(target)], conditions: [] }, live: [tracked(live)] };
  const comparison = compare(app, sides as never, {
    controlPlaneNamespace: 'argocd',
    tracking: defaultTracking,
    resources: defaultSettings.resources,
    isNamespaced: () => true,
  });
  return { comparison, acts: actionable(app, comparison).status };
}

const app = appWith(JSON.stringify([record]));

test.each([
  ['declared by Git', service(split('v2'))],
  ['left to Knative', service()],
])(
  'an override in effect, traffic %s: OutOfSync for people, and nothing to do for automation',
  (_what, target) => {
    const { comparison, acts } = compared(app, target, service(split('v1')));
    expect(comparison.status).toBe('OutOfSync');
    expect(comparison.conditions).toMatchObject([
      {
        type: 'TrafficOverrideWarning',
        message: expect.stringMatching(/^ann overrode .* Service shop .*\(errors\): v1 100%/),
      },
    ]);
    expect(acts).toBe('Synced');
  },
);

test('what differs besides is healed, with the traffic of the override', () => {
  const { comparison, acts } = compared(app, service(split('v2')), service(split('v3')));
  expect(acts).toBe('OutOfSync');
  expect(comparison.resources[0]?.override?.target.spec).toMatchObject({ traffic: split('v1') });
});

test('an override ends when Git declares the same, in whatever spelling, or no longer the Service', () => {
  const same = service([{ percent: 100, latestRevision: false, revisionName: 'v1' }]);
  expect(compared(app, same, same).comparison.status).toBe('Synced');
  expect(endedOverrides(app, [same])).toEqual({ [overrideAnnotation]: null });
  expect(endedOverrides(app, [])).toEqual({ [overrideAnnotation]: null });
  expect(endedOverrides(app, [service(split('v2'))])).toBeUndefined();
});

test.each([
  'no JSON',
  '{}',
  '[{"service":"shop"}]',
  JSON.stringify([{ ...record, traffic: [{ percent: 5 }] }]),
])('an annotation that cannot be read has no effect, and says so: %s', (text) => {
  const { comparison } = compared(appWith(text), service(split('v2')), service(split('v2')));
  expect(comparison.status).toBe('Synced');
  expect(comparison.hints).toEqual([expect.stringContaining(`${overrideAnnotation} has no effect`)]);
});

const gate = (text?: string): KubeObject =>
  ({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
    metadata: {
      ...{ name: 'shop', namespace: 'n' },
      annotations: {
        'argocd.argoproj.io/tracking-id': 'a:argoproj.io/Rollout:n/shop',
        ...(text && { 'fairlead.io/manual-traffic': text }),
      },
    },
    spec: {
      strategy: { canary: { trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'shop' } } } } },
    },
  }) as KubeObject;

function gated(live: KubeObject) {
  const sides = { target: { objects: [gate()], conditions: [] }, live: [live] };
  return compare(appWith(undefined), sides as never, {
    ...{ controlPlaneNamespace: 'argocd', tracking: defaultTracking, resources: defaultSettings.resources },
    isNamespaced: () => true,
  });
}

test('RK-14: traffic that a person pinned on a Rollout is a condition of its application, and no difference', () => {
  const at = '2026-01-01T00:00:00Z';
  const found = gated(gate(JSON.stringify({ revision: 'shop-00001', by: 'ann', at, reason: 'errors' })));
  expect(found.status).toBe('Synced');
  expect(found.conditions).toMatchObject([
    {
      type: 'TrafficOverrideWarning',
      message: expect.stringMatching(
        /^ann overrode the traffic of Rollout shop at .* \(errors\): all of it goes to/,
      ),
    },
  ]);
});

test('RK-14: a record on a Rollout that cannot be read is no condition, and says so', () => {
  const found = gated(gate('{"by":"ann"}'));
  expect(found.conditions).toEqual([]);
  expect(found.hints).toEqual([
    'Rollout shop: annotation fairlead.io/manual-traffic has no effect: revision is no name of a Revision; remove it',
  ]);
});
