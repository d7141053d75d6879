import { expect, test } from 'vitest';
import type { AnalysisRun } from './analysis/analysis.ts';
import { explainRollout, type RolloutExplanation } from './explain.ts';
import type { Rollout, RolloutSpec, RolloutStatus } from './rollout.ts';

const steps = [{ setWeight: 20 }, { pause: { duration: '5m' } }, { analysis: {} }, { pause: {} }];
const began = '2026-01-01T00:00:00Z';
const at = (minutes: number): number => Date.parse(began) + minutes * 60_000;

const rollout = (
  status: RolloutStatus,
  spec: RolloutSpec = { strategy: { canary: { steps } } },
): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', generation: 3 },
  spec: { replicas: 1, ...spec },
  status: {
    ...{ observedGeneration: '3', currentPodHash: 'new', stableRS: 'old' },
    ...{ replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    ...status,
  },
});
const pause = (reason: 'CanaryPauseStep' | 'BlueGreenPause' | 'InconclusiveAnalysisRun') => ({
  pauseConditions: [{ reason, startTime: began }],
});
const condition = (type: string, reason: string, status: 'True' | 'False' = 'True') => ({
  conditions: [{ type, status, reason, message: 'why', lastUpdateTime: began }],
});
const green = (more: object): RolloutSpec => ({ strategy: { blueGreen: { activeService: 'web', ...more } } });

type Expected = Partial<RolloutExplanation>;

test.each<[string, Rollout, Expected]>([
  [
    'at rest',
    rollout({ stableRS: 'new', currentStepIndex: 4 }),
    {
      ...{ phase: 'Healthy', step: undefined, waitsFor: undefined, until: undefined },
      next: 'an update by a new template begins at step 1, setWeight: 20',
    },
  ],
  [
    'a pause with an end',
    rollout({ currentStepIndex: 1, ...pause('CanaryPauseStep') }),
    {
      ...{ phase: 'Paused - CanaryPauseStep', step: '2 of 4, pause: 5m', waitsFor: 'the end of the pause' },
      ...{ until: at(5), next: 'step 3 of 4, analysis', verbs: ['promote', 'abort'] },
    },
  ],
  [
    'a pause without an end',
    rollout({ currentStepIndex: 3, ...pause('CanaryPauseStep') }),
    { waitsFor: 'a user', until: undefined, next: 'the new version becomes the stable one' },
  ],
  [
    'a pause by hand',
    rollout({ currentStepIndex: 0 }, { paused: true, strategy: { canary: { steps } } }),
    { waitsFor: 'a user, who paused it', next: 'step 1 of 4, setWeight: 20' },
  ],
  [
    'an inconclusive analysis',
    rollout({ currentStepIndex: 2, ...pause('InconclusiveAnalysisRun') }),
    { waitsFor: 'a user, because the analysis is inconclusive', until: undefined },
  ],
  [
    'blue-green before its promotion',
    rollout(pause('BlueGreenPause'), green({ autoPromotionSeconds: 60 })),
    { until: at(1), next: 'Service web sends its requests to the new version' },
  ],
  [
    'blue-green that a user promotes',
    rollout(pause('BlueGreenPause'), green({ autoPromotionEnabled: false, autoPromotionSeconds: 60 })),
    { waitsFor: 'a user', until: undefined },
  ],
  [
    'an abort',
    rollout({ abort: true, currentStepIndex: 0, ...condition('Progressing', 'RolloutAborted', 'False') }),
    { step: undefined, waitsFor: 'a retry by a user, or another template', verbs: ['retry', 'undo'] },
  ],
  [
    'a spec that is invalid',
    rollout(condition('InvalidSpec', 'InvalidSpec')),
    { waitsFor: 'a valid spec, or the objects that it names', verbs: [] },
  ],
  [
    'pods that are late',
    rollout(condition('Progressing', 'ProgressDeadlineExceeded', 'False')),
    { waitsFor: 'the pods of the new version, which are late', verbs: ['abort'] },
  ],
  [
    'pods that are on their way',
    rollout({ currentStepIndex: 0, updatedReplicas: 0, ...condition('Progressing', 'ReplicaSetUpdated') }),
    {
      ...{ waitsFor: 'more replicas need to be updated', until: at(10) },
      next: 'step 2 of 4, pause: 5m; at the deadline it is Degraded, and goes on trying',
    },
  ],
])('§13: %s', (_what, of, expected) => {
  expect(explainRollout(of, [])).toMatchObject(expected);
});

test('§13: a step of analysis is explained by what its run has measured', () => {
  const run = { name: 'web-new-2-2', status: 'Running' } as const;
  const seen = rollout({ currentStepIndex: 2, canary: { currentStepAnalysisRunStatus: run } });
  const measuring = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    metadata: { name: run.name },
    spec: { metrics: [{ name: 'rate', interval: '1m', count: 5 }, { name: 'smoke' }] },
    status: { phase: 'Running', metricResults: [{ name: 'rate', phase: 'Running', count: 2 }] },
  } as AnalysisRun;
  expect(explainRollout(seen, [measuring])).toMatchObject({
    waitsFor: 'AnalysisRun web-new-2-2 (Running; measurements: rate 2 of 5, smoke 0 of 1)',
    until: undefined,
    next: 'step 4 of 4, pause',
  });
});
