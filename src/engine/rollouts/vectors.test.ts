import { expect, test } from 'vitest';
import type { AnalysisRun } from './analysis/analysis.ts';
import { limitsOf } from './canary-replicas.ts';
import type { CanaryStrategy, IntOrText, Rollout, RolloutSpec } from './rollout.ts';
import { Stage } from './stage.ts';

// Vectors of the contract (docs/contract/rollouts.md §18) that have no other home.

const rollout = (canary: CanaryStrategy, spec: Partial<RolloutSpec> = {}): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary },
    ...spec,
  },
});
const template = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'rate', namespace: 'shop' },
  spec: { metrics: [{ name: 'rate', provider: { web: { url: 'http://web' } } }] },
};
const analysis = { templates: [{ templateName: 'rate' }] };

/** A stage with the first version out and the second begun. */
function updating(canary: CanaryStrategy, spec: Partial<RolloutSpec> = {}): Stage {
  const stage = new Stage(rollout(canary, spec), template);
  stage.settle();
  stage.setImage('web:2');
  stage.settle();
  return stage;
}

test.each<[IntOrText | undefined, IntOrText | undefined, number, string]>([
  ['25%', '25%', 10, '3 2'],
  [undefined, undefined, 10, '3 2'],
  ['1', '1', 10, '1 0'],
  ['1', '0', 200, '2 0'],
  [1, 0, 10, '1 0'],
  ['0%', '0%', 10, '0 1'],
  ['0', 0, 10, '0 1'],
  [0, '50%', 3, '0 1'],
  ['100%', '100%', 4, '4 4'],
  [2, 20, 4, '2 4'],
  ['25%', '25%', 0, '0 0'],
])(
  'vector 9, RN-1: maxSurge %j and maxUnavailable %j of %i pods are %s',
  (maxSurge, maxUnavailable, replicas, both) => {
    const strategy: CanaryStrategy = {
      ...(maxSurge !== undefined && { maxSurge }),
      ...(maxUnavailable !== undefined && { maxUnavailable }),
    };
    const { surge, unavailable } = limitsOf(rollout(strategy, { replicas }));
    expect(`${surge} ${unavailable}`).toBe(both);
  },
);

test.each([[0], ['0'], ['0s']])('vector 15: a pause of %j ends in the pass after it began', (duration) => {
  const stage = updating({
    steps: [{ setWeight: 20 }, { pause: { duration } }, { setWeight: 60 }, { pause: {} }],
  });
  stage.wait(2);
  expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 3 });
});

test('vector 16: promote --full in the middle of an analysis ends the run and skips the steps', () => {
  const stage = updating({ steps: [{ setWeight: 20 }, { analysis }, { setWeight: 60 }, { pause: {} }] });
  expect(stage.status).toMatchObject({ currentStepIndex: 1 });
  stage.patchStatus({ promoteFull: true });
  stage.settle();
  expect(stage.all<AnalysisRun>('AnalysisRun').map(({ spec }) => spec?.terminate)).toEqual([true]);
  expect(stage.status).toMatchObject({ phase: 'Healthy', currentStepIndex: 4 });
  expect(stage.status).not.toHaveProperty('promoteFull');
  expect(stage.pods).toEqual({ 'web:2': 5 });
});

test('vector 29, RN-12: the deadline is not counted while an analysis runs', () => {
  const stage = updating(
    { steps: [{ setWeight: 20 }, { analysis }, { setWeight: 60 }] },
    { progressDeadlineSeconds: 60, progressDeadlineAbort: true },
  );
  stage.wait(3600);
  expect(stage.status).toMatchObject({ phase: 'Progressing', currentStepIndex: 1 });
  stage.setRun('Successful');
  stage.settle();
  expect(stage.status.phase).toBe('Healthy');
});

test.each<[string, CanaryStrategy['replicaProgressThreshold'], number, number | undefined]>([
  ['70 percent of 5 pods need 4', { type: 'Percent', value: 70 }, 3, 0],
  ['70 percent of 5 pods need 4', { type: 'Percent', value: 70 }, 4, 1],
  ['3 pods', { type: 'Pods', value: 3 }, 2, 0],
  ['3 pods', { type: 'Pods', value: 3 }, 3, 1],
  ['all by default', undefined, 4, 0],
  ['all by default', undefined, 5, 1],
])(
  'vector 34: a threshold of %s (%j): with %i available the step index is %i',
  (_what, threshold, available, index) => {
    const steps = [{ setWeight: 100 }, { pause: {} }];
    const strategy = { steps, maxSurge: '100%', ...(threshold && { replicaProgressThreshold: threshold }) };
    const stage = new Stage(rollout(strategy));
    stage.settle();
    stage.ready.set('web:2', available);
    stage.setImage('web:2');
    stage.settle();
    expect(stage.status.currentStepIndex).toBe(index);
  },
);

test.each([
  ['five of each by default', undefined, { Successful: 5, Failed: 5 }],
  [
    'as many as the spec says',
    { successfulRunHistoryLimit: 1, unsuccessfulRunHistoryLimit: 2 },
    { Successful: 1, Failed: 2 },
  ],
  ['none', { successfulRunHistoryLimit: 0, unsuccessfulRunHistoryLimit: 0 }, {}],
])('vector 56: of the finished runs %s are kept, the newest', (_what, limits, kept) => {
  const stage = new Stage(
    rollout({ steps: [{ setWeight: 20 }] }, limits ? { analysis: limits } : {}),
    template,
  );
  stage.settle();
  const hash = stage.status.stableRS ?? '';
  for (let number = 0; number < 16; number += 1) {
    stage.now = new Date(stage.now.getTime() + 1000);
    stage.put({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: { name: `run-${number}`, labels: { 'rollouts-pod-template-hash': hash } },
      spec: {},
      status: { phase: number % 2 === 0 ? 'Successful' : 'Failed' },
    } as AnalysisRun);
  }
  stage.settle();
  const left = stage.all<AnalysisRun>('AnalysisRun');
  const counts: Record<string, number> = {};
  for (const { status } of left) counts[status?.phase ?? ''] = (counts[status?.phase ?? ''] ?? 0) + 1;
  expect(counts).toEqual(kept);
  const numbers = left.map(({ metadata }) => Number(metadata.name.slice('run-'.length)));
  if (numbers.length > 0) expect(Math.max(...numbers)).toBe(15);
});

test.each(['the Rollout gives', 'the template declares'])(
  'vector 51, RA-2: an argument that %s from a field that the first version does not have yet does not refuse it',
  (source) => {
    const fieldRef = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
    const args = [
      { name: 'revision', ...fieldRef("metadata.annotations['rollout.argoproj.io/revision']") },
      { name: 'missing', ...fieldRef("metadata.labels['missing']") },
      { name: 'stable', ...fieldRef('status.stableRS') },
    ];
    const isGiven = source === 'the Rollout gives';
    const given = isGiven ? { args } : {};
    const declared = isGiven ? args.map(({ name }) => ({ name })) : args;
    const stage = new Stage(
      rollout({ steps: [{ setWeight: 20 }, { analysis: { ...analysis, ...given } }] }),
      {
        ...template,
        spec: { ...template.spec, args: declared },
      },
    );
    stage.settle();
    expect(stage.status.phase).toBe('Healthy');
    const { stableRS = '' } = stage.status;
    stage.setImage('web:2');
    stage.settle();
    const [run] = stage.all<AnalysisRun>('AnalysisRun');
    expect(run?.spec?.args?.map(({ value }) => value)).toEqual(['2', '', stableRS]);
    const wrong = [{ name: 'revision', ...fieldRef('metadata.nothing') }];
    stage.edit((spec) => {
      spec.strategy = { canary: { steps: [{ analysis: { ...analysis, args: wrong } }] } };
    });
    stage.settle();
    expect(stage.status.message).toMatch(/^InvalidSpec: .*args.revision: metadata.nothing is no field/);
  },
);

test('RE-1: a new Rollout is reported as seen and as begun, once', () => {
  const stage = new Stage(rollout({ steps: [{ setWeight: 20 }] }));
  stage.settle();
  stage.setImage('web:2');
  stage.settle();
  const reasons = stage.events.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === 'RolloutAddedToInformer')).toHaveLength(1);
  const told = reasons.filter((reason) => /Completed$/.test(reason) && reason !== 'RolloutStepCompleted');
  expect(told).toEqual([
    ...['RolloutNotCompleted', 'RolloutCompleted'],
    ...['RolloutNotCompleted', 'RolloutCompleted'],
  ]);
});
