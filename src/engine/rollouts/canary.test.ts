import { describe, expect, test } from 'vitest';
import { moveByRatio, ratio } from './canary-replicas.ts';
import { rolesOf } from './replica-sets.ts';
import type { CanaryStrategy, Rollout, RolloutReplicaSet, RolloutSpec } from './rollout.ts';
import { Stage } from './stage.ts';
import { staticProblem } from './validate.ts';

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
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { app: 'web' } },
});
const reasons = (stage: Stage): string[] => stage.events.map(({ reason }) => reason);

test.each([
  [5, 10, 1, '1/5'],
  [5, 10, 0, '1/4'],
  [5, 50, 0, '3/2'],
  [5, 50, 1, '3/3'],
  [10, 5, 1, '1/10'],
  [10, 25, 0, '3/7'],
  [10, 25, 1, '3/8'],
  [3, 50, 0, '2/1'],
  [1, 5, 1, '1/1'],
  [1, 5, 0, '0/1'],
  [1, 50, 0, '1/0'],
  [4, 99, 0, '3/1'],
  [4, 99, 1, '4/1'],
  [2, 1, 0, '1/1'],
  [10, 33, 1, '3/7'],
  [3, 95, 0, '2/1'],
])('vector 5, RN-3: %i pods at weight %i with surge %i are %s', (size, weight, surge, split) => {
  const { fresh, stable } = ratio(size, weight, { surge });
  expect(`${fresh}/${stable}`).toBe(split);
});

test.each([
  [10, 95, 9, 1],
  [2, 75, 1, 1],
])('vector 6, RQ-1: %i pods at weight %i without surge keep one of each', (size, weight, fresh, stable) => {
  expect(ratio(size, weight)).toEqual({ fresh, stable });
});

const set = (name: string, image: string, pods: number): RolloutReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, labels: { 'rollouts-pod-template-hash': name } },
  spec: {
    replicas: pods,
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
  status: { replicas: pods, availableReplicas: pods },
});

test.each([
  ['vector 7', { maxSurge: 3, maxUnavailable: 0 }, { fresh: 3, stable: 10 }],
  ['vector 8', { maxSurge: 0, maxUnavailable: 5 }, { fresh: 0, stable: 7 }],
])('%s, RN-4: the first move towards weight 30 of 10 pods', (_vector, limits, moved) => {
  const of = rollout({ steps: [{ setWeight: 30 }], ...limits }, { replicas: 10 });
  of.status = { stableRS: 'old', currentPodHash: 'new', currentStepIndex: 0 };
  const roles = rolesOf(of, [set('old', 'web:0', 10), set('new', 'web:1', 0)]);
  expect(moveByRatio(of, roles)).toEqual(moved);
});

describe('a canary by replica ratio', () => {
  const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }, { pause: { duration: 60 } }];

  test('vector 11: the first deployment skips the steps', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    expect(stage.status).toMatchObject({
      phase: 'Healthy',
      currentStepIndex: 4,
      replicas: 5,
      availableReplicas: 5,
    });
    expect(stage.status.stableRS).toBe(stage.status.currentPodHash);
    expect(stage.pods).toEqual({ 'web:1': 5 });
    const messages = stage.events
      .filter(({ reason }) => /Completed$/.test(reason))
      .map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^Rollout not completed, started update to revision 1 /),
      expect.stringMatching(/^Rollout completed update to revision 1 \(.*\): Initial deploy$/),
    ]);
  });

  test('vector 13: waits at a pause without an end until a person promotes', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 });
    expect(stage.pods).toEqual({ 'web:1': 4, 'web:2': 1 });
    stage.wait(3600);
    expect(stage.status.currentStepIndex).toBe(1);
    stage.patchStatus({ pauseConditions: null });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 3 });
    expect(stage.pods).toEqual({ 'web:1': 2, 'web:2': 3 });
    expect(stage.status.conditions?.find(({ type }) => type === 'Completed')?.status).toBe('False');
    stage.wait(61);
    expect(stage.status).toMatchObject({ phase: 'Healthy', currentStepIndex: 4 });
    expect(stage.pods).toEqual({ 'web:2': 5 });
  });

  test.each([[60], ['60'], ['1m']])('vector 14: a pause of %j lasts a minute', (duration) => {
    const stage = new Stage(rollout({ steps: [{ setWeight: 20 }, { pause: { duration } }] }));
    stage.settle();
    stage.setImage('web:2');
    stage.wait(59);
    expect(stage.status.phase).toBe('Paused');
    stage.wait(2);
    expect(stage.status.phase).toBe('Healthy');
  });

  test('vector 10: without pods all steps pass', () => {
    const stage = new Stage(
      rollout({ steps: [{ setWeight: 20 }, { pause: { duration: 1 } }] }, { replicas: 0 }),
    );
    stage.settle();
    stage.setImage('web:2');
    stage.wait(5);
    expect(stage.status).toMatchObject({ phase: 'Healthy', currentStepIndex: 2 });
  });

  test('vectors 17 and 18: an abort returns to the stable version, a retry starts over', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.patchStatus({ abort: true });
    stage.settle();
    expect(stage.status).toMatchObject({
      phase: 'Degraded',
      message: 'RolloutAborted: Rollout aborted update to revision 2',
      abort: true,
      currentStepIndex: 0,
    });
    expect(stage.pods).toEqual({ 'web:1': 5 });
    stage.patchStatus({ abort: false });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
    expect(stage.status.abortedAt).toBeUndefined();
    expect(stage.pods).toEqual({ 'web:1': 4, 'web:2': 1 });
  });

  test('RW-11: aborting a promoted Rollout does nothing', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.patchStatus({ abort: true });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Healthy' });
    expect(stage.status.abort).toBeUndefined();
  });

  test('vector 20: the template of the stable version skips the steps', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.setImage('web:1');
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Healthy', currentStepIndex: 4 });
    expect(stage.pods).toEqual({ 'web:1': 5 });
    expect(reasons(stage)).toContain('SkipSteps');
  });

  test('vector 21: a third template takes the pods of the interrupted one', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.setImage('web:3');
    stage.settle();
    expect(stage.pods).toEqual({ 'web:1': 4, 'web:3': 1 });
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  });

  test('vector 22, RH-4: an earlier template reuses its ReplicaSet under a new revision', () => {
    const stage = new Stage(rollout({}));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.setImage('web:1');
    stage.settle();
    const sets = stage.all<RolloutReplicaSet>('ReplicaSet');
    expect(sets).toHaveLength(2);
    const first = sets.find(({ spec }) => spec?.replicas === 5);
    expect(first?.metadata.annotations).toMatchObject({
      'rollout.argoproj.io/revision': '3',
      'rollout.argoproj.io/revision-history': '1',
    });
    expect(stage.rollout.metadata.annotations?.['rollout.argoproj.io/revision']).toBe('3');
  });

  test('promote --full skips pauses and steps', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.patchStatus({ promoteFull: true });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Healthy', currentStepIndex: 4 });
    expect(stage.status.promoteFull).toBeUndefined();
    expect(stage.pods).toEqual({ 'web:2': 5 });
  });

  test('vector 27: a paused Rollout scales nothing for a new template', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.edit((spec) => {
      spec.paused = true;
    });
    stage.setImage('web:2');
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', message: 'manually paused' });
    expect(stage.pods).toEqual({ 'web:1': 5 });
  });

  test('vector 25, RH-6: a new size during a pause only moves pods', () => {
    const stage = new Stage(rollout({ steps }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    stage.edit((spec) => {
      spec.replicas = 10;
    });
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
    expect(stage.pods).toEqual({ 'web:1': 8, 'web:2': 2 });
  });

  test.each([
    [false, 'ProgressDeadlineExceeded: ReplicaSet', undefined],
    [true, 'RolloutAborted: Rollout aborted update to revision 2', true],
  ])(
    'vector 28: pods that never become ready exceed the deadline; abort: %s',
    (progressDeadlineAbort, message, abort) => {
      const stage = new Stage(rollout({ steps }, { progressDeadlineAbort, progressDeadlineSeconds: 60 }));
      stage.settle();
      stage.broken.add('web:2');
      stage.setImage('web:2');
      stage.wait(59);
      expect(stage.status.phase).toBe('Progressing');
      stage.wait(10);
      expect(stage.status.phase).toBe('Degraded');
      expect(stage.status.message).toContain(message);
      expect(stage.status.abort).toBe(abort);
    },
  );

  test.each([
    [1, 'Paused'],
    [2, 'Healthy'],
  ])('vector 30: a rollback window of %i', (revisions, phase) => {
    const stage = new Stage(
      rollout({ steps: [{ setWeight: 20 }, { pause: {} }] }, { rollbackWindow: { revisions } }),
    );
    for (const image of ['web:1', 'web:2', 'web:3']) {
      stage.setImage(image);
      stage.wait(10);
      if (stage.status.phase === 'Paused') stage.patchStatus({ promoteFull: true });
      stage.wait(10);
    }
    stage.setImage('web:1');
    stage.settle();
    expect(stage.status.phase).toBe(phase);
  });

  test('RM-1: autoPromotionEnabled: false waits for a person after the last step', () => {
    const stage = new Stage(rollout({ steps: [{ setWeight: 100 }], autoPromotionEnabled: false }));
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    expect(stage.status).toMatchObject({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 });
    stage.patchStatus({ pauseConditions: null });
    stage.settle();
    expect(stage.status.phase).toBe('Healthy');
    const warnings = stage.events.filter(({ type }) => type === 'Warning').map(({ message }) => message);
    expect(warnings).toEqual([expect.stringContaining('Argo Rollouts would refuse')]);
  });

  test('RV-1: an invalid Rollout is reported and left alone, and recovers', () => {
    const stage = new Stage(rollout({ canaryService: 'canary' }));
    stage.settle();
    expect(stage.status.phase).toBe('Degraded');
    expect(stage.status.message).toContain('service "canary" not found');
    stage.put(service('canary'));
    stage.settle();
    expect(stage.status.phase).toBe('Healthy');
  });

  test('vector 37: a Service of another Rollout is left to it', () => {
    const stage = new Stage(rollout({ stableService: 'stable' }), {
      ...service('stable'),
      metadata: { name: 'stable', annotations: { 'argo-rollouts.argoproj.io/managed-by-rollouts': 'other' } },
    });
    stage.settle();
    expect(stage.status.message).toContain('is managed by another Rollout');
    stage.put(service('stable'));
    stage.settle();
    expect(stage.status.phase).toBe('Healthy');
    expect(stage.selected('stable')).toBe('web:1');
  });

  test('RT-1: the Services select their versions', () => {
    const stage = new Stage(
      rollout({ steps, stableService: 'stable', canaryService: 'canary' }),
      service('stable'),
      service('canary'),
    );
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    expect([stage.selected('stable'), stage.selected('canary')]).toEqual(['web:1', 'web:2']);
    stage.patchStatus({ abort: true });
    stage.settle();
    expect(stage.selected('canary')).toBe('web:1');
  });

  test('vector 35: ephemeral metadata moves with the promotion', () => {
    const stage = new Stage(
      rollout({
        steps: [{ setWeight: 20 }, { pause: {} }],
        canaryMetadata: { labels: { role: 'canary' } },
        stableMetadata: { labels: { role: 'stable' } },
      }),
    );
    stage.settle();
    stage.setImage('web:2');
    stage.settle();
    const roles = () =>
      Object.fromEntries(
        stage
          .all<RolloutReplicaSet>('ReplicaSet')
          .map(({ spec }) => [
            JSON.stringify(spec?.template?.spec).match(/web:\d/)?.[0],
            spec?.template?.metadata?.labels?.role,
          ]),
      );
    expect(roles()).toEqual({ 'web:1': 'stable', 'web:2': 'canary' });
    stage.patchStatus({ pauseConditions: null });
    stage.settle();
    expect(roles()).toEqual({ 'web:1': undefined, 'web:2': 'stable' });
  });

  test('vector 60: a process that dies after any write ends in the same state', () => {
    const run = (writes: number): object => {
      const stage = new Stage(
        rollout({ steps: [{ setWeight: 40 }, { setWeight: 80 }], stableService: 'stable' }),
        service('stable'),
      );
      stage.settle();
      stage.setImage('web:2');
      for (let count = 0; count < 12; count += 1) stage.pass(writes);
      stage.settle();
      const { phase, currentStepIndex, stableRS } = stage.status;
      return { phase, currentStepIndex, stableRS, pods: stage.pods, selected: stage.selected('stable') };
    };
    const whole = run(Number.POSITIVE_INFINITY);
    for (const writes of [0, 1, 2, 3]) expect(run(writes)).toEqual(whole);
  });
});

test.each<[string, CanaryStrategy]>([
  ['pingPong', { pingPong: { pingService: 'ping', pongService: 'pong' } }],
  ['steps[0].plugin', { steps: [{ plugin: { name: 'x' } }] }],
])('what is not done yet is refused by its name: %s', (field, canary) => {
  const problem = staticProblem(rollout(canary));
  expect(problem).toContain(`spec.strategy.canary.${field}`);
  expect(problem).toContain('not supported by this controller');
});
