import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { Experiment } from './experiment/experiment.ts';
import type {
  CanaryStep,
  CanaryStrategy,
  ExperimentStep,
  RolloutReplicaSet,
  RolloutSpec,
} from './rollout.ts';
import { Stage } from './stage.ts';
import { staticProblem } from './validate.ts';

const argo = 'argoproj.io/v1alpha1';
const rollout = (canary: CanaryStrategy, spec: Partial<RolloutSpec> = {}) => ({
  apiVersion: argo,
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop', labels: { team: 'shop' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }] }] },
    },
    strategy: { canary },
    ...spec,
  },
});
const template = {
  apiVersion: argo,
  kind: 'AnalysisTemplate',
  metadata: { name: 'rate' },
  spec: {
    args: [{ name: 'hash', value: '' }],
    metrics: [{ name: 'rate', provider: { web: { url: 'http://web' } } }],
  },
};
const both: ExperimentStep = {
  duration: '5m',
  templates: [
    { name: 'baseline', specRef: 'stable', metadata: { labels: { role: 'baseline' } } },
    {
      name: 'candidate',
      specRef: 'canary',
      replicas: 2,
      metadata: { labels: { role: 'candidate' }, annotations: { why: 'compare' } },
    },
  ],
  analyses: [
    {
      name: 'rate',
      templateName: 'rate',
      args: [{ name: 'hash', valueFrom: { podTemplateHashValue: 'Latest' } }],
    },
  ],
};
const steps = (step: ExperimentStep = both): CanaryStep[] => [{ experiment: step }, { pause: {} }];

function updating(canary: CanaryStrategy, spec: Partial<RolloutSpec> = {}): Stage {
  const stage = new Stage(rollout(canary, spec), template);
  stage.settle();
  stage.setImage('web:2');
  stage.settle();
  return stage;
}
const experiments = (stage: Stage) => stage.all<Experiment>('Experiment');
const names = (stage: Stage) => experiments(stage).map(({ metadata }) => metadata.name);
const hash = (stage: Stage) => stage.status.currentPodHash;

describe('RX-3: an experiment as a step', () => {
  test('the first deployment makes none', () => {
    const stage = new Stage(rollout({ steps: steps() }), template);
    stage.settle();
    expect([stage.status.phase, experiments(stage)]).toEqual(['Healthy', []]);
  });

  test('it runs both versions, by name, labels, arguments and templates', () => {
    const stage = updating({ steps: steps() }, { progressDeadlineSeconds: 60, minReadySeconds: 3 });
    expect(names(stage)).toEqual([`web-${hash(stage)}-2-0`]);
    expect(stage.status.canary?.currentExperiment).toBe(`web-${hash(stage)}-2-0`);
    const [made] = experiments(stage);
    expect(made).toMatchObject({
      metadata: {
        labels: { team: 'shop', 'rollouts-pod-template-hash': hash(stage) },
        annotations: { 'rollout.argoproj.io/revision': '2' },
        ownerReferences: [{ kind: 'Rollout', name: 'web', controller: true }],
      },
      spec: {
        duration: '5m',
        progressDeadlineSeconds: 60,
        templates: [
          {
            name: 'baseline',
            minReadySeconds: 3,
            selector: { matchLabels: { app: 'web', role: 'baseline' } },
            template: { spec: { containers: [{ image: 'web:1' }] } },
          },
          {
            name: 'candidate',
            replicas: 2,
            template: {
              metadata: { labels: { app: 'web', role: 'candidate' }, annotations: { why: 'compare' } },
              spec: { containers: [{ image: 'web:2' }] },
            },
          },
        ],
        analyses: [{ name: 'rate', args: [{ name: 'hash', value: hash(stage) }] }],
      },
    });
    expect(made?.spec?.templates?.[0]).not.toHaveProperty('service');
    const sets = stage.ownedBy<RolloutReplicaSet>('ReplicaSet', made?.metadata.name);
    expect(sets.map(({ spec }) => spec?.replicas)).toEqual([1, 2]);
    expect(stage.events.map(({ reason }) => reason)).toContain('ExperimentCreated');
    expect(stage.status).toMatchObject({ phase: 'Progressing', currentStepIndex: 0 });
  });

  test('successful goes on to the next step', () => {
    const stage = updating({ steps: steps() });
    stage.setRun('Successful');
    stage.wait(301);
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
    expect(stage.status.canary?.currentExperiment).toBeUndefined();
    expect(experiments(stage)[0]?.status?.phase).toBe('Successful');
  });

  test.each(['Failed', 'Error'])('%s aborts the update and names the cause', (phase) => {
    const stage = updating({ steps: steps() });
    stage.setRun(phase, 'the rate is low');
    stage.settle();
    expect(stage.status).toMatchObject({
      phase: 'Degraded',
      abort: true,
      message: expect.stringMatching(
        /^RolloutAborted: .*Experiment phase error\/failed \(web-.*\): the rate is low$/,
      ),
    });
    stage.wait(60);
    expect(stage.pods).toEqual({ 'web:1': 2 });
  });

  test('RW-12: inconclusive pauses, nothing moves, and a person goes on to the next step', () => {
    const stage = updating({ steps: steps() });
    stage.setRun('Inconclusive');
    stage.wait(3600);
    expect(stage.status).toMatchObject({
      phase: 'Paused',
      message: 'InconclusiveExperiment',
      currentStepIndex: 0,
      controllerPause: true,
    });
    expect(names(stage)).toHaveLength(1);
    stage.patchStatus({ pauseConditions: null });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 });
    expect(names(stage)).toHaveLength(1);
  });

  test('RW-12: inconclusive and then aborted goes back', () => {
    const stage = updating({ steps: steps() });
    stage.setRun('Inconclusive');
    stage.settle();
    stage.patchStatus({ abort: true });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Degraded', abort: true });
  });

  test.each([
    ['abort', { abort: true }],
    ['promote --full', { promoteFull: true }],
  ])('RW-4, RW-10: %s terminates it', (_verb, status) => {
    const stage = updating({ steps: steps() });
    stage.patchStatus(status);
    stage.settle();
    expect(experiments(stage)[0]).toMatchObject({
      spec: { terminate: true },
      status: { phase: 'Successful' },
    });
    expect(stage.status.canary?.currentExperiment).toBeUndefined();
  });

  test('RW-6: a retry after an abort makes another one, and a third template its own', () => {
    const stage = updating({ steps: steps() });
    const first = hash(stage);
    stage.setRun('Failed');
    stage.settle();
    stage.patchStatus({ abort: false });
    stage.settle();
    expect(names(stage)).toEqual([`web-${first}-2-0`, `web-${first}-2-0-1`]);
    stage.setImage('web:3');
    stage.settle();
    expect(names(stage)[2]).toBe(`web-${hash(stage)}-3-0`);
    expect(experiments(stage)[1]?.spec?.terminate).toBe(true);
  });

  test('other steps in the middle of it make another one', () => {
    const stage = updating({ steps: steps() });
    stage.edit((spec) => {
      if (spec.strategy?.canary) spec.strategy.canary.steps = steps({ ...both, duration: '1m' });
    });
    stage.settle();
    expect(experiments(stage).map(({ spec }) => `${spec?.duration} ${spec?.terminate ?? false}`)).toEqual([
      '5m true',
      '1m false',
    ]);
  });

  test('a promotion from one experiment step to the next ends the first and starts the second', () => {
    const stage = updating({ steps: [{ experiment: both }, { experiment: both }] });
    stage.patchStatus({ currentStepIndex: 1 });
    stage.settle();
    expect(names(stage)).toEqual([`web-${hash(stage)}-2-0`, `web-${hash(stage)}-2-1`]);
    expect(experiments(stage)[0]?.spec?.terminate).toBe(true);
  });

  test('an invalid Experiment aborts instead of waiting for ever', () => {
    const foreign = {
      ...both,
      templates: [{ name: 'a', specRef: 'canary', selector: { matchLabels: { x: 'y' } } }],
    };
    const stage = updating({ steps: steps(foreign as ExperimentStep) });
    expect(stage.status.message).toMatch(/RolloutAborted: .*does not match template/);
  });

  test('RH-8, RA-19: five of each verdict are kept, and none of a ReplicaSet that is gone', () => {
    const stage = updating({ steps: steps() }, { revisionHistoryLimit: 1 });
    const [made] = experiments(stage);
    for (let count = 0; count < 16; count += 1)
      stage.put({
        ...(made as KubeObject),
        metadata: { ...(made as KubeObject).metadata, name: `old-${count}`, uid: `old-${count}` },
        spec: { ...made?.spec, templates: [] },
        status: { phase: count % 2 === 0 ? 'Successful' : 'Failed' },
      });
    stage.pass();
    expect(names(stage).filter((name) => name.startsWith('old-'))).toHaveLength(10);
    for (const image of ['web:3', 'web:4', 'web:5']) {
      stage.setImage(image);
      stage.settle();
      stage.patchStatus({ promoteFull: true });
      stage.wait(60);
    }
    expect(names(stage).filter((name) => name.startsWith('old-'))).toEqual([]);
  });

  test('a process that dies after any write makes it once', () => {
    const run = (writes: number) => {
      const stage = new Stage(rollout({ steps: steps() }), template);
      stage.settle();
      stage.setImage('web:2');
      for (let count = 0; count < 12; count += 1) stage.pass(writes);
      stage.settle();
      return names(stage);
    };
    const whole = run(Number.POSITIVE_INFINITY);
    expect(whole).toHaveLength(1);
    for (const writes of [0, 1, 2, 3]) expect(run(writes)).toEqual(whole);
  });
});

test.each<[string, object, CanaryStrategy, string]>([
  ['no template', { templates: [] }, {}, 'experiment.templates: Required value'],
  [
    'no specRef',
    { templates: [{ name: 'a' }] },
    {},
    'experiment.templates[0].specRef: must be canary or stable',
  ],
  [
    'a name twice',
    { templates: [both.templates?.[0], both.templates?.[0]] },
    {},
    'experiment.templates[1].name',
  ],
  ['no duration', { ...both, duration: 'x' }, {}, 'experiment.duration: "x" is no duration'],
  ['a weight alone', { templates: [{ name: 'a', specRef: 'canary', weight: 5 }] }, {}, 'templates[0].weight'],
  [
    'a weight with nginx',
    { templates: [{ name: 'a', specRef: 'canary', weight: 5 }] },
    { trafficRouting: { nginx: { stableIngress: 'web' } } },
    'templates[0].weight: needs trafficRouting by istio',
  ],
])('RV-2: an experiment with %s is invalid', (_what, experiment, canary, message) => {
  const problem = staticProblem(
    rollout({ ...canary, steps: [{ experiment: experiment as ExperimentStep }] }),
  );
  expect(problem).toContain(`spec.strategy.canary.steps[0].experiment`);
  expect(problem).toContain(message);
});
