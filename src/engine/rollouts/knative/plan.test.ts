import { expect, test } from 'vitest';
import { stepHash } from '../hash.ts';
import { planRollout } from '../plan.ts';
import type { CanaryStep, Rollout, RolloutStatus } from '../rollout.ts';
import type { KnativeRevision, KnativeServiceView, KnativeTraffic } from './view.ts';

const now = new Date('2026-01-01T00:00:00Z');
const ready = [{ type: 'Ready', status: 'True' as const }];

const revision = (number: number): KnativeRevision => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: {
    name: `shop-0000${number}`,
    namespace: 'shop',
    generation: 1,
    labels: { 'serving.knative.dev/configurationGeneration': String(number) },
  },
  spec: { containers: [{ image: `shop:${number}` }] },
  status: { observedGeneration: 1, conditions: ready },
});

const owned = {
  manager: 'fairlead-rollouts',
  operation: 'Apply' as const,
  fieldsV1: { 'f:spec': { 'f:traffic': {} } },
};
const service = (traffic: readonly KnativeTraffic[]): KnativeServiceView => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'shop', generation: 3, managedFields: [owned] },
  spec: { traffic },
  status: {
    observedGeneration: 3,
    conditions: [...ready, { type: 'RoutesReady', status: 'True' }],
    latestCreatedRevisionName: 'shop-00002',
    latestReadyRevisionName: 'shop-00002',
    traffic: traffic.map((one) => ({ ...one, ...(one.tag && { url: `http://${one.tag}-shop` }) })),
  },
});

const plan = (
  status: RolloutStatus,
  traffic: readonly KnativeTraffic[],
  { paused = false, ...canary }: { paused?: boolean; steps?: CanaryStep[] } = {},
) => {
  const plugins = { 'fairlead.io/knative': { service: 'shop' } };
  const rollout: Rollout = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'shop', namespace: 'shop', generation: 1 },
    spec: { strategy: { canary: { trafficRouting: { plugins }, ...canary } }, paused },
    status,
  };
  return planRollout({
    ...{ rollout, now, roles: { all: [], fresh: undefined, stable: undefined, others: [] } },
    ...{ runs: [], experiments: [], pods: [], service: () => undefined, find: () => undefined },
    template: () => undefined,
    knative: { service: service(traffic), revisions: [revision(1), revision(2)] },
  });
};

test('RK-11: a promoted version is Healthy only when the traffic names it alone', () => {
  const all = [
    { revisionName: 'shop-00001', percent: 0 },
    { revisionName: 'shop-00002', percent: 100, tag: 'candidate' },
  ];
  const promoted = plan({ stableRS: 'shop-00001', currentPodHash: 'shop-00002' }, all).status ?? {};
  expect(promoted).toMatchObject({
    stableRS: 'shop-00002',
    phase: 'Progressing',
    message: 'waiting for the traffic of the Knative Service "shop" to be pinned to Revision "shop-00002"',
  });
  const cleaning = plan(promoted, all);
  expect(cleaning.writes.filter(({ verb }) => verb === 'apply')).toMatchObject([
    { verb: 'apply', object: { spec: { traffic: [{ revisionName: 'shop-00002', percent: 100 }] } } },
  ]);
  expect(cleaning.status?.phase).toBe('Progressing');
  const pinned = [{ revisionName: 'shop-00002', percent: 100 }];
  expect(plan(cleaning.status ?? {}, pinned).status?.phase).toBe('Healthy');
});

const steps = [{ setWeight: 20 }, { setWeight: 60 }];
const status = (index: number, weight: number | undefined): RolloutStatus => ({
  ...{ stableRS: 'shop-00001', currentPodHash: 'shop-00002', currentStepHash: stepHash(steps) },
  currentStepIndex: index,
  ...(weight !== undefined && {
    canary: {
      weights: {
        canary: { weight, podTemplateHash: 'shop-00002' },
        stable: { weight: 100 - weight, podTemplateHash: 'shop-00001' },
      },
    },
  }),
});
const split = (weight: number): KnativeTraffic[] => [
  { revisionName: 'shop-00001', percent: 100 - weight },
  { revisionName: 'shop-00002', percent: weight, tag: 'candidate' },
];
const written = (found: ReturnType<typeof plan>) =>
  found.writes.flatMap((write) => (write.verb === 'apply' ? [write.object.spec] : []));

test('RW-1, vector 27: while a person pauses the Rollout no traffic moves, neither to a new version nor on', () => {
  const stable = [{ revisionName: 'shop-00001', percent: 100 }];
  expect(written(plan(status(0, undefined), stable, { steps }))).toEqual([{ traffic: split(20) }]);
  expect(written(plan(status(0, undefined), stable, { steps, paused: true }))).toEqual([]);
  expect(written(plan(status(1, 20), split(20), { steps }))).toEqual([{ traffic: split(60) }]);
  expect(written(plan(status(1, 20), split(20), { steps, paused: true }))).toEqual([]);
  const aborted = { ...status(1, 20), abort: true };
  expect(written(plan(aborted, split(20), { steps, paused: true }))).toEqual([{ traffic: split(0) }]);
});
