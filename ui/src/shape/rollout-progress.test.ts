import { expect, test } from 'vitest';
import type { Rollout, RolloutReplicaSet } from '#engine/rollouts';
import type { ResourceAction } from '#serve/api';
import { rolloutProgress, rolloutVersions, spanMs } from './rollout-progress.ts';
import { stepTitle } from './rollout-steps.ts';
import { imageChanges, rolloutVerbs, whyNotBackTo } from './rollout-verbs.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
type Spec = NonNullable<Rollout['spec']>;
type Status = NonNullable<Rollout['status']>;

const set = (revision: number, replicas: number): RolloutReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: `web-${revision}`,
    labels: { 'rollouts-pod-template-hash': `h${revision}` },
    annotations: { 'rollout.argoproj.io/revision': String(revision) },
    creationTimestamp: '2026-06-01T07:00:00Z',
  },
  spec: {
    replicas,
    template: { spec: { containers: [{ name: 'web', image: `ghcr.io/acme/web:${revision}` }] } },
  },
  status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
});
const canary: Spec['strategy'] = {
  canary: { steps: [{ setWeight: 25 }, { pause: {} }, { setWeight: 50 }, { pause: { duration: '5m' } }] },
};
const rollout = (status: Status = {}, spec: Spec = {}): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 4, strategy: canary, ...spec },
  status: {
    observedGeneration: '2',
    currentPodHash: 'h2',
    stableRS: 'h1',
    replicas: 4,
    updatedReplicas: 1,
    availableReplicas: 4,
    ...status,
  },
});
const sets = [set(1, 3), set(2, 1)];
const paused = (currentStepIndex: number): Status => ({
  currentStepIndex,
  controllerPause: true,
  pauseConditions: [{ reason: 'CanaryPauseStep', startTime: '2026-06-01T07:58:00Z' }],
});
const aborted: Status = {
  abort: true,
  currentStepIndex: 0,
  conditions: [
    {
      type: 'Progressing',
      status: 'False',
      reason: 'RolloutAborted',
      message: 'Rollout aborted update to revision 2: Metric "rate" assessed Failed',
    },
  ],
};
const settled: Status = { stableRS: 'h2', updatedReplicas: 4, currentStepIndex: 4 };
const blueGreen: Spec = {
  strategy: { blueGreen: { activeService: 'web', autoPromotionEnabled: false, prePromotionAnalysis: {} } },
};
const shown = (status: Status, spec?: Spec) => rolloutProgress(rollout(status, spec), sets, now);

test.each<[string, Status, Spec | undefined, RegExp]>([
  [
    'a pause without end',
    paused(1),
    undefined,
    /^Paused: revision 2 \(web:2\) waits at step 2 of 4 since .*, until a person promotes it\.$/,
  ],
  ['a pause with one', paused(3), undefined, /at step 4 of 4 since .*, and goes on in 3 min\.$/],
  [
    'a pause by hand',
    { currentStepIndex: 0 },
    { paused: true },
    /paused by hand; it goes on when it is resumed/,
  ],
  [
    'an abort',
    aborted,
    undefined,
    /^Degraded: Rollout aborted update to revision 2: Metric "rate" assessed Failed\.$/,
  ],
  ['the end', settled, undefined, /^Healthy: revision 2 \(web:2\) has 4 pods of 4\.$/],
  [
    'pods on their way',
    { currentStepIndex: 0 },
    undefined,
    /^Progressing: revision 2 \(web:2\) at step 1 of 4, more replicas need to be updated\.$/,
  ],
  [
    'a blue-green pause',
    { pauseConditions: [{ reason: 'BlueGreenPause', startTime: '2026-06-01T07:58:00Z' }] },
    blueGreen,
    /waits at step 2 of 4 since .*, until a person promotes/,
  ],
])('%s in one sentence', (_name, status, spec, words) => {
  expect(shown(status, spec).sentence).toMatch(words);
});

test('steps behind, now and to come, each with the weight from there on', () => {
  expect(shown(paused(1)).steps).toEqual([
    { title: 'Weight 25', state: 'done', weight: 25 },
    { title: 'Pause until promoted', state: 'current', weight: 25 },
    { title: 'Weight 50', state: 'waiting', weight: 50 },
    { title: 'Pause 5m', state: 'waiting', weight: 50 },
  ]);
  expect(shown(settled).steps.every(({ state }) => state === 'done')).toBe(true);
  expect(shown(aborted).steps.every(({ state }) => state === 'waiting')).toBe(true);
  expect(shown({}, blueGreen).steps.map(({ title, state }) => `${title}: ${state}`)).toEqual([
    'Pods of the preview are ready: done',
    'Analysis before the promotion: current',
    'Traffic moves when a person promotes: waiting',
    'The new revision is the stable one: waiting',
  ]);
});

test('weights and revisions with their roles, images and pods', () => {
  const { weights, revisions } = shown(paused(1));
  expect(weights).toEqual({ actual: 25, wanted: 25 });
  expect(
    revisions.map(({ revision, roles, pods, isCurrent }) => [revision, ...roles, pods, isCurrent]),
  ).toEqual([
    [2, 'canary', 1, true],
    [1, 'stable', 3, false],
  ]);
});

test.each<[Parameters<typeof stepTitle>[0], string]>([
  [{ analysis: { templates: [{ templateName: 'a' }, { templateName: 'b' }] } }, 'Analysis a, b'],
  [{ pause: { duration: 60 } }, 'Pause 60 s'],
  [{ setCanaryScale: { replicas: 3 } }, 'Canary of 3 pods'],
  [{ setCanaryScale: { weight: 20 } }, 'Canary pods for weight 20'],
  [{ setCanaryScale: { matchTrafficWeight: true } }, 'Canary pods follow the weight'],
  [{ setHeaderRoute: { name: 'beta' } }, 'Remove header route beta'],
  [{ setMirrorRoute: { name: 'copy', match: [{}] } }, 'Mirror route copy'],
  [{ plugin: { name: 'x/y' } }, 'Plugin x/y'],
  [{}, 'A step of an unknown kind'],
])('a step %o', (step, title) => {
  expect(stepTitle(step)).toBe(title);
});

test.each([
  ['60', 60_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['soon', undefined],
  ['5m later', undefined],
])('a pause of %s', (text, ms) => {
  expect(spanMs(text)).toBe(ms);
});

const actions: ResourceAction[] = [
  'restart',
  'pause',
  'resume',
  'abort',
  'retry',
  'promote-full',
  'skip-current-step',
].map((name) => ({ name, disabled: false }));
const verbs = (status: Status, spec?: Spec, given = actions) =>
  rolloutVerbs(rollout(status, spec), shown(status, spec), given).map(
    ({ label, action, why }) => `${label} (${action})${why ? `: ${why}` : ''}`,
  );

test('a paused update is promoted by its pause, another by its step', () => {
  expect(verbs(paused(1))).toEqual([
    'Promote (resume)',
    'Promote fully (promote-full)',
    'Abort (abort)',
    'Pause (pause)',
    'Restart (restart)',
  ]);
  expect(verbs({ currentStepIndex: 0 })[0]).toBe('Promote (skip-current-step)');
  expect(verbs({ pauseConditions: [{ reason: 'InconclusiveAnalysisRun', startTime: '' }] })[0]).toBe(
    'Promote (skip-current-step)',
  );
  expect(verbs({ currentStepIndex: 0 }, { paused: true })[3]).toBe('Resume (resume)');
});

test('what cannot be done says why', () => {
  expect(verbs(settled).slice(0, 4)).toEqual([
    'Promote (skip-current-step): No update is under way.',
    'Promote fully (promote-full): No update is under way.',
    'Abort (abort): No update is under way.',
    'Pause (pause): No update is under way.',
  ]);
  expect(verbs(aborted).slice(1, 3)).toEqual([
    'Promote fully (promote-full): The update was aborted: retry it first.',
    'Retry (retry)',
  ]);
  expect(verbs({}, blueGreen)[0]).toMatch(/waits for nothing that a person decides/);
  expect(verbs(paused(1), undefined, [])[2]).toMatch(/The action abort is not among those/);
  expect(verbs(paused(1), undefined, [{ name: 'abort', disabled: true }])[2]).toMatch(/present state/);
});

test('what a verb does, in words', () => {
  const [promote, full, abort] = rolloutVerbs(rollout(paused(1)), shown(paused(1)), actions);
  expect(promote?.does).toBe('The pause ends, and the update goes on with step 3: Weight 50.');
  expect(full?.does).toBe(
    'revision 2 (web:2) gets everything at once. 3 steps with pauses and analysis are skipped.',
  );
  expect(abort?.does).toMatch(/^Everything returns to revision 1 \(web:1\)/);
});

test('the way back to a revision', () => {
  const [current, stable] = shown(paused(1)).revisions;
  if (!current || !stable) throw new Error('two revisions are expected');
  expect(imageChanges(current, stable)).toEqual(['web:2 → web:1']);
  expect(whyNotBackTo(rollout())).toBeUndefined();
  expect(whyNotBackTo(rollout({}, { workloadRef: { kind: 'Deployment', name: 'web' } }))).toMatch(
    /stands in Deployment web/,
  );
});

test('a Rollout of a Knative Service shows its Revisions, and can go back to them', () => {
  const strategy: Spec['strategy'] = {
    canary: { trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'web' } } }, steps: [] },
  };
  const gated = rollout(
    { currentPodHash: 'web-00002', stableRS: 'web-00002', updatedReplicas: 4 },
    { strategy },
  );
  const revisions = [1, 2].map((generation) => ({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Revision',
    metadata: {
      name: `web-0000${generation}`,
      labels: { 'serving.knative.dev/configurationGeneration': String(generation) },
    },
    spec: { containers: [{ image: `web:${generation}` }] },
  }));
  const progress = rolloutProgress(gated, rolloutVersions(gated, revisions), now);
  expect(progress.revisions.map(({ revision, images, roles }) => [revision, ...images, ...roles])).toEqual([
    [2, 'web:2', 'stable'],
    [1, 'web:1'],
  ]);
  expect(progress.sentence).toBe('Healthy: revision 2 (web:2) has all requests.');
  expect(whyNotBackTo(gated)).toBeUndefined();
  expect(rolloutVerbs(gated, progress, actions).at(-1)?.why).toMatch(/no pods of its own/);
  const message = 'manual traffic override by ann';
  const pinned = {
    ...gated,
    status: {
      ...gated.status,
      ...{ phase: 'Paused' as const, message },
      conditions: [{ type: 'ManualTraffic', status: 'True' as const, message }],
    },
  };
  const held = rolloutProgress(pinned, rolloutVersions(pinned, revisions), now);
  expect(held.sentence).toMatch(
    /^Paused: manual traffic override by ann\. It ends with fairlead rollouts undo .* --clear\.$/,
  );
  expect(rolloutVerbs(pinned, held, actions)[0]?.why).toMatch(/^A person has pinned the traffic/);
});
