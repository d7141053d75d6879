import { expect, test } from 'vitest';
import type { Rollout } from '../rollout.ts';
import { staticProblem } from '../validate.ts';

const plugins = { 'fairlead.io/knative': { service: 'shop' } };
const problemWith = (canary: object, spec: object = {}) =>
  staticProblem({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'shop' } },
    spec: { strategy: { canary: { trafficRouting: { plugins }, ...canary } }, ...spec },
  } as Rollout);
const noPods = 'a Rollout of a Knative Service has no pods of its own, Knative scales them: remove it';
const at = 'spec.strategy.canary';

test.each([
  ['replicas', {}, { replicas: 3 }, `spec.replicas: ${noPods}`],
  ['a template', {}, { template: {} }, `spec.template: ${noPods}`],
  ['a workload', {}, { workloadRef: { kind: 'Deployment', name: 'x' } }, `spec.workloadRef: ${noPods}`],
  ['a Service of its own', { canaryService: 'x' }, {}, `${at}.canaryService: ${noPods}`],
  [
    'a size',
    { steps: [{ setWeight: 1 }, { setCanaryScale: { replicas: 1 } }] },
    {},
    `${at}.steps[1].setCanaryScale: a Knative Service has the steps setWeight, pause and analysis only`,
  ],
  ['an experiment', { steps: [{ experiment: {} }] }, {}, `${at}.steps[0].experiment: a Knative Service has`],
  ['a weight beyond 100', { steps: [{ setWeight: 101 }] }, {}, `${at}.steps[0].setWeight: SetWeight needs`],
  [
    'blue-green',
    {},
    { strategy: { canary: { trafficRouting: { plugins } }, blueGreen: {} } },
    'spec.strategy.blueGreen: use',
  ],
  [
    'a gate of ours',
    { autoPromotionEnabled: false },
    {},
    `${at}.autoPromotionEnabled: use pause: {} as the last`,
  ],
  [
    'another router',
    { trafficRouting: { plugins, nginx: { stableIngress: 'x' } } },
    {},
    `${at}.trafficRouting.nginx: cannot be combined with fairlead.io/knative`,
  ],
  [
    'no Service',
    { trafficRouting: { plugins: { 'fairlead.io/knative': {} } } },
    {},
    `${at}.trafficRouting.plugins["fairlead.io/knative"].service: Required value: name the Knative Service`,
  ],
  [
    'a bad tag',
    { trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'shop', tag: 'A b' } } } },
    {},
    '.tag: "A b" is no tag',
  ],
])('RK-10: %s is refused by name', (_what, canary, spec, message) => {
  expect(problemWith(canary, spec)).toContain(message);
});

test('RK-10: what a Knative Service can do is accepted', () => {
  const analysis = { templates: [{ templateName: 'smoke' }] };
  const steps = [
    { setWeight: 0 },
    { analysis },
    { setWeight: 20 },
    { pause: { duration: '5m' } },
    { pause: {} },
  ];
  const spec = { progressDeadlineSeconds: 60, progressDeadlineAbort: true, rollbackWindow: { revisions: 2 } };
  expect(problemWith({ steps, analysis, abortScaleDownDelaySeconds: 30 }, spec)).toBeUndefined();
});
