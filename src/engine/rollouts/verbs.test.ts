import { expect, test } from 'vitest';
import type { Rollout, RolloutReplicaSet, RolloutStatus } from './rollout.ts';
import { promoteFullPatches, promotePatches, templateOfRevision, templateWithImages } from './verbs.ts';

const rollout = (status: RolloutStatus, more: object = {}): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', annotations: { 'rollout.argoproj.io/revision': '3' } },
  spec: { strategy: { canary: { steps: [{ setWeight: 20 }, { analysis: {} }, { pause: {} }] } }, ...more },
  status: { currentPodHash: 'new', stableRS: 'old', ...status },
});
const pause = (reason: string) =>
  [{ reason, startTime: '' }] as NonNullable<RolloutStatus['pauseConditions']>;

test.each<[string, Rollout, object[]]>([
  [
    'a pause',
    rollout({ currentStepIndex: 2, pauseConditions: pause('CanaryPauseStep') }),
    [{ status: { pauseConditions: null } }],
  ],
  [
    'no pause',
    rollout({ currentStepIndex: 0 }),
    [{ status: { pauseConditions: null, currentStepIndex: 1 } }],
  ],
  [
    'an inconclusive step',
    rollout({ currentStepIndex: 1, pauseConditions: pause('InconclusiveAnalysisRun') }),
    [{ status: { pauseConditions: null, controllerPause: false, currentStepIndex: 2 } }],
  ],
  ['a pause by a person', rollout({ stableRS: 'new' }, { paused: true }), [{ spec: { paused: false } }]],
])('RW-3: promotes from %s', (_from, of, bodies) => {
  expect(promotePatches(of).map(({ body }) => body)).toEqual(bodies);
});

test('RW-4: a full promotion is written only while an update is under way', () => {
  expect(promoteFullPatches(rollout({})).map(({ body }) => body)).toEqual([
    { status: { promoteFull: true } },
  ]);
  expect(promoteFullPatches(rollout({ stableRS: 'new' }))).toEqual([]);
});

const set = (revision: number): RolloutReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: `web-${revision}`, annotations: { 'rollout.argoproj.io/revision': String(revision) } },
  spec: {
    template: {
      metadata: { labels: { app: 'web', 'rollouts-pod-template-hash': 'x' } },
      spec: { containers: [{ name: 'web', image: `web:${revision}` }] },
    },
  },
});

test('undo takes the template of the previous or a named revision, without the label of the hash', () => {
  const sets = [set(1), set(2), set(3)];
  expect(templateOfRevision(rollout({}), sets, 0)).toMatchObject({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ image: 'web:2' }] },
  });
  expect(templateOfRevision(rollout({}), sets, 1).metadata?.labels).toEqual({ app: 'web' });
  expect(() => templateOfRevision(rollout({}), sets, 9)).toThrow('unable to find revision 9');
});

test('set image changes one container or all of them, and refuses one that there is not', () => {
  const template = {
    spec: { initContainers: [{ name: 'init', image: 'a' }], containers: [{ name: 'web', image: 'a' }] },
  };
  expect(templateWithImages(template, { web: 'b' }).spec).toEqual({
    initContainers: [{ name: 'init', image: 'a' }],
    containers: [{ name: 'web', image: 'b' }],
  });
  expect(JSON.stringify(templateWithImages(template, { '*': 'c' }))).not.toContain('"a"');
  expect(() => templateWithImages(template, { other: 'b' })).toThrow(
    'unable to find container named "other"',
  );
});
