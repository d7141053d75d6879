import { expect, test } from 'vitest';
import type { BlueGreenStrategy, Rollout, RolloutSpec } from './rollout.ts';
import { Stage } from './stage.ts';

const rollout = (blueGreen: BlueGreenStrategy, spec: Partial<RolloutSpec> = {}): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { blueGreen: { activeService: 'active', previewService: 'preview', ...blueGreen } },
    ...spec,
  },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { app: 'web' } },
});
const template = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'smoke' },
  spec: { metrics: [{ name: 'smoke', provider: { web: { url: 'http://x' } } }] },
};
const analysis = { templates: [{ templateName: 'smoke' }] };

function started(blueGreen: BlueGreenStrategy, spec: Partial<RolloutSpec> = {}): Stage {
  const stage = new Stage(rollout(blueGreen, spec), service('active'), service('preview'), template);
  stage.settle();
  stage.setImage('web:2');
  stage.settle();
  return stage;
}
const selected = (stage: Stage) => [stage.selected('active'), stage.selected('preview')];

test('the first deployment makes both Services select it', () => {
  const stage = new Stage(rollout({}), service('active'), service('preview'));
  stage.settle();
  expect(selected(stage)).toEqual(['web:1', 'web:1']);
  expect(stage.status).toMatchObject({ phase: 'Healthy', availableReplicas: 3 });
  expect(stage.status.stableRS).toBe(stage.status.currentPodHash);
});

test('vector 40: promotes by itself, and keeps the old version for the delay', () => {
  const stage = started({});
  expect(selected(stage)).toEqual(['web:2', 'web:2']);
  expect(stage.pods).toEqual({ 'web:1': 3, 'web:2': 3 });
  expect(stage.status.phase).toBe('Healthy');
  stage.wait(31);
  expect(stage.pods).toEqual({ 'web:2': 3 });
});

test('vector 40: waits for a person', () => {
  const stage = started({ autoPromotionEnabled: false });
  expect(selected(stage)).toEqual(['web:1', 'web:2']);
  expect(stage.status).toMatchObject({ phase: 'Paused', message: 'BlueGreenPause', controllerPause: true });
  stage.wait(3600);
  expect(stage.status.phase).toBe('Paused');
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(selected(stage)).toEqual(['web:2', 'web:2']);
  expect(stage.status.phase).toBe('Healthy');
});

test('vector 40: waits for a while', () => {
  const stage = started({ autoPromotionSeconds: 30 });
  stage.wait(29);
  expect(stage.selected('active')).toBe('web:1');
  stage.wait(2);
  expect(stage.selected('active')).toBe('web:2');
});

test('vector 41: the preview is small until it is promoted', () => {
  const stage = started({ autoPromotionEnabled: false, previewReplicaCount: 1 });
  expect(stage.pods).toEqual({ 'web:1': 3, 'web:2': 1 });
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(stage.pods).toEqual({ 'web:1': 3, 'web:2': 3 });
  expect(stage.selected('active')).toBe('web:2');
});

test('vector 42: a failed pre-promotion analysis leaves the active Service alone', () => {
  const stage = started({ prePromotionAnalysis: analysis });
  expect(stage.selected('active')).toBe('web:1');
  stage.setRun('Failed', 'Metric "smoke" assessed Failed');
  stage.settle();
  expect(stage.selected('active')).toBe('web:1');
  expect(stage.status).toMatchObject({ phase: 'Degraded', abort: true });
  expect(stage.status.message).toContain('Metric "smoke" assessed Failed');
  stage.wait(31);
  expect(stage.pods).toEqual({ 'web:1': 3 });
});

test('a successful pre-promotion analysis promotes', () => {
  const stage = started({ prePromotionAnalysis: analysis });
  stage.setRun('Successful');
  stage.settle();
  expect(stage.selected('active')).toBe('web:2');
  expect(stage.status.phase).toBe('Healthy');
});

test('vector 43: a failed post-promotion analysis returns to the old version, whose pods are all there', () => {
  const stage = started({ postPromotionAnalysis: analysis });
  expect(stage.selected('active')).toBe('web:2');
  expect(stage.status).toMatchObject({ phase: 'Progressing', message: 'waiting for analysis to complete' });
  expect(stage.pods).toEqual({ 'web:1': 3, 'web:2': 3 });
  stage.setRun('Error');
  stage.settle();
  expect(stage.selected('active')).toBe('web:1');
  expect(stage.pods['web:1']).toBe(3);
  expect(stage.status.phase).toBe('Degraded');
});

test('vector 44: beyond the limit old versions go at once, and the way back within the delay is fast', () => {
  const stage = started({
    scaleDownDelaySeconds: 300,
    scaleDownDelayRevisionLimit: 1,
    autoPromotionEnabled: false,
  });
  stage.patchStatus({ promoteFull: true });
  stage.settle();
  stage.setImage('web:3');
  stage.settle();
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(stage.pods).toEqual({ 'web:2': 3, 'web:3': 3 });
  stage.setImage('web:2');
  stage.settle();
  expect(stage.selected('active')).toBe('web:2');
  expect(stage.status.phase).toBe('Healthy');
});

test('vector 45: an inconclusive analysis pauses, and a promotion goes on with a new run', () => {
  const stage = started({ prePromotionAnalysis: analysis });
  stage.setRun('Inconclusive');
  stage.settle();
  expect(stage.status).toMatchObject({ phase: 'Paused', message: 'InconclusiveAnalysisRun' });
  expect(stage.selected('active')).toBe('web:1');
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(stage.all('AnalysisRun')).toHaveLength(2);
  stage.setRun('Successful');
  stage.settle();
  expect(stage.selected('active')).toBe('web:2');
});

test('vector 45: a second inconclusive run pauses again instead of being followed by ever more runs', () => {
  const stage = started({ prePromotionAnalysis: analysis });
  stage.setRun('Inconclusive');
  stage.settle();
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  stage.setRun('Inconclusive');
  stage.settle();
  expect(stage.status).toMatchObject({ phase: 'Paused', message: 'InconclusiveAnalysisRun' });
  expect(stage.all('AnalysisRun')).toHaveLength(2);
});

test('RW-11, RB-3: a retry within the abort delay promotes, and the failed run before it aborts nothing', () => {
  const stage = started({ prePromotionAnalysis: analysis });
  stage.setRun('Failed');
  stage.settle();
  stage.patchStatus({ abort: false });
  stage.settle();
  expect(selected(stage)).toEqual(['web:2', 'web:2']);
  expect(stage.status).toMatchObject({ phase: 'Healthy' });
  expect(stage.status.abort).toBeUndefined();
  stage.patchStatus({ abort: true });
  stage.settle();
  expect(stage.status.phase).toBe('Healthy');
  expect(stage.status.abort).toBeUndefined();
});

test('an abort returns the active Service', () => {
  const stage = started({ autoPromotionEnabled: false });
  stage.patchStatus({ abort: true });
  stage.settle();
  expect(stage.selected('active')).toBe('web:1');
  expect(stage.status).toMatchObject({ phase: 'Degraded', abort: true });
  stage.wait(31);
  expect(stage.pods).toEqual({ 'web:1': 3 });
});

test('vector 60: a process that dies after any write ends in the same state', () => {
  const run = (writes: number): object => {
    const stage = new Stage(rollout({}), service('active'), service('preview'));
    stage.settle();
    stage.setImage('web:2');
    for (let count = 0; count < 10; count += 1) stage.pass(writes);
    stage.wait(60);
    return { pods: stage.pods, selected: selected(stage), phase: stage.status.phase };
  };
  const whole = run(Number.POSITIVE_INFINITY);
  expect(whole).toEqual({ pods: { 'web:2': 3 }, selected: ['web:2', 'web:2'], phase: 'Healthy' });
  for (const writes of [0, 1, 2, 3]) expect(run(writes)).toEqual(whole);
});
