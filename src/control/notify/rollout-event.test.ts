import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { readNotifications } from './config.ts';
import { decideRolloutEvent, renderRolloutEvent } from './rollout-event.ts';

const web: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: {
    name: 'web',
    namespace: 'shop',
    annotations: Object.fromEntries(
      [
        ...['rollout-updated', 'rollout-completed', 'rollout-step-completed', 'rollout-paused'],
        ...['rollout-aborted', 'scaling-replica-set'],
        ...['analysis-run-running', 'analysis-run-error', 'analysis-run-failed', 'traffic-weight-updated'],
      ].map((name) => [`notifications.argoproj.io/subscribe.on-${name}.mattermost`, 'ops']),
    ),
  },
};
const config = (data: Record<string, string> = {}) =>
  readNotifications({
    ...{ namespace: 'argo-rollouts', topic: 'rollouts', secrets: {}, argocdUrl: '' },
    data: { 'service.mattermost': 'apiURL: https://chat.example', ...data },
  });
const messages = (reason: string, data: Record<string, string> = {}): string[] => {
  const subject = {
    ...{ rollout: web, analysisRuns: [], now: () => 0 },
    event: { reason, message: 'what happened' },
  };
  return decideRolloutEvent(config(data), subject).due.map(
    (due) => `${due.trigger}: ${renderRolloutEvent(due, subject).notification.message}`,
  );
};

test('RE-2: the reason of an event names its trigger, and the stock triggers have a text', () => {
  const texts = [
    ['RolloutUpdated', 'on-rollout-updated', 'was updated'],
    ['RolloutCompleted', 'on-rollout-completed', 'is complete'],
    ['RolloutStepCompleted', 'on-rollout-step-completed', 'has completed a step'],
    ['RolloutPaused', 'on-rollout-paused', 'is paused'],
    ['RolloutAborted', 'on-rollout-aborted', 'was aborted'],
    ['ScalingReplicaSet', 'on-scaling-replica-set', 'is being scaled'],
    ['AnalysisRunRunning', 'on-analysis-run-running', 'is being analysed'],
    ['AnalysisRunError', 'on-analysis-run-error', 'could not be analysed'],
    ['AnalysisRunFailed', 'on-analysis-run-failed', 'failed its analysis'],
  ] as const;
  for (const [reason, trigger, title] of texts)
    expect(messages(reason)).toEqual([`${trigger}: Rollout shop/web ${title}.\nwhat happened`]);
});

test('RE-2: another reason has the trigger that the configuration gives it', () => {
  expect(messages('TrafficWeightUpdated')).toEqual([]);
  const data = {
    'trigger.on-traffic-weight-updated': '- send: [weight]',
    'template.weight': 'message: "{{.event.reason}}: {{.event.message}}"',
  };
  expect(messages('TrafficWeightUpdated', data)).toEqual([
    'on-traffic-weight-updated: TrafficWeightUpdated: what happened',
  ]);
});

test('RE-2: keys of the ConfigMap replace the built-in ones; those of applications are not there', () => {
  const own = {
    'template.rollout-paused': 'message: wait',
    'trigger.on-rollout-aborted': '- when: "false"\n  send: [x]',
  };
  expect(messages('RolloutPaused', own)).toEqual(['on-rollout-paused: wait']);
  expect(messages('RolloutAborted', own)).toEqual([]);
  expect([...config().triggers.keys()]).not.toContain('on-sync-failed');
  expect(config({ 'service.slack': 'token: $gone' }).problems.map(({ message }) => message)).toEqual([
    'argo-rollouts-notification-secret has no key gone; $gone stays as it is written',
  ]);
});
