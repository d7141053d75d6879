import { expect, test } from 'vitest';
import type { AnalysisMetric, AnalysisTemplate } from './analysis/analysis.ts';
import { lintRollout, lintTemplate } from './lint.ts';
import type { AnalysisArgument, Rollout, RolloutSpec } from './rollout.ts';

const rollout = (strategy: RolloutSpec['strategy']): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web' }] } },
    ...(strategy && { strategy }),
  },
});
const template = (metrics: AnalysisMetric[], args: AnalysisArgument[] = []): AnalysisTemplate => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'quality' },
  spec: { metrics, args },
});
const prometheus = (query: string) => ({ provider: { prometheus: { query } } });
const web = { provider: { web: { url: 'https://web/' } } };

test.each<[string, AnalysisMetric, string[]]>([
  ['RM-7: an aggregate of a range', { name: 'm', ...prometheus('avg(a{b="c"}[10m])') }, ['avg_over_time()']],
  ['RM-3: an interval without a count', { name: 'm', interval: '2m', ...prometheus('a') }, ['without count']],
  [
    'RM-6: an index',
    { name: 'm', successCondition: 'result[0] > 1', ...prometheus('a') },
    ['len(result) > 0'],
  ],
  [
    'RM-4: a status of the body',
    { name: 'm', successCondition: 'result.status == "200"', ...web },
    ['text body'],
  ],
  ['RM-4: a path', { name: 'm', successCondition: 'result == "ok"', ...web }, []],
  [
    'RQ-11: a metric that cannot fail',
    { name: 'm', interval: '1m', count: 3, failureLimit: 3, ...prometheus('a') },
    ['failureLimit 3 is not below count 3'],
  ],
  ['a metric that can', { name: 'm', interval: '1m', count: 3, failureLimit: 2, ...prometheus('a') }, []],
  ['limits of arguments', { name: 'm', interval: '1m', count: '{{args.c}}', ...prometheus('a') }, []],
])('lint of a metric: %s', (_what, metric, expected) => {
  const found = lintTemplate(template([metric])).map(({ message }) => message);
  expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
});

const analysis = { templates: [{ templateName: 'quality' }] };
const needy = template([{ name: 'm', ...prometheus('a') }], [{ name: 'service-name' }]);

test.each<[string, RolloutSpec['strategy'], string[]]>([
  ['RM-1: a gate after the last step', { canary: { autoPromotionEnabled: false } }, ['autoPromotionEnabled']],
  [
    'RM-2: a step without the argument service-name',
    { canary: { canaryService: 'canary', stableService: 'stable', steps: [{ analysis }] } },
    ['spec.strategy.canary.steps[0].analysis: the argument service-name has no value: canary is used'],
  ],
  [
    'RM-2: a post-promotion analysis without it',
    { blueGreen: { activeService: 'active', postPromotionAnalysis: analysis } },
    ['spec.strategy.blueGreen.postPromotionAnalysis: the argument service-name has no value: active is used'],
  ],
  [
    'a step with it',
    { canary: { steps: [{ analysis: { ...analysis, args: [{ name: 'service-name', value: 'web' }] } }] } },
    [],
  ],
  [
    'a template of another file',
    { canary: { steps: [{ analysis: { templates: [{ templateName: 'x' }] } }] } },
    [],
  ],
])('lint of a Rollout: %s', (_what, strategy, expected) => {
  const found = lintRollout(rollout(strategy), [needy]).map(({ message }) => message);
  expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
});

test('lint of a Rollout says what is wrong in it', () => {
  const { spec: _spec, ...bare } = rollout({});
  expect(lintRollout(bare)).toEqual([
    { severity: 'error', message: expect.stringContaining('spec.selector') },
  ]);
});

test('a Rollout of a workload, which a file does not show, is judged without its template', () => {
  const web = rollout({ canary: { steps: [{ setWeight: 20 }] } });
  const { selector: _selector, template: _template, ...spec } = web.spec ?? {};
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const lint = (more: RolloutSpec) =>
    lintRollout({ ...web, spec: { ...spec, ...more } }).map(({ message }) => message);
  expect(lint({ workloadRef })).toEqual([]);
  expect(lint({ workloadRef, minReadySeconds: 700 })).toEqual([
    'spec.progressDeadlineSeconds: 600 must be greater than minReadySeconds',
  ]);
  expect(lint({ workloadRef: { ...workloadRef, kind: 'StatefulSet' } })).toEqual([
    expect.stringContaining('StatefulSet can not be referred to'),
  ]);
});
