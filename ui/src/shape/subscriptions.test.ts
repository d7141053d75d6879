import { expect, test } from 'vitest';
import { sampleApplication } from './sample-application.ts';
import { subscribePatch, subscriptionsOf, unsubscribePatch } from './subscriptions.ts';

const prefix = 'notifications.argoproj.io/subscribe.';
const app = {
  ...sampleApplication(),
  metadata: {
    name: 'web',
    annotations: {
      [`${prefix}on-deployed.slack`]: 'team; all ',
      [`${prefix}webhook`]: '',
      'example.com/other': 'x',
    },
  },
};
const slack = { key: `${prefix}on-deployed.slack`, trigger: 'on-deployed', service: 'slack' };
const patched = (text: string) => JSON.parse(text).metadata.annotations;

test('the subscriptions of an application are its annotations, one for each recipient', () => {
  expect(subscriptionsOf(app)).toEqual([
    { ...slack, recipient: 'team' },
    { ...slack, recipient: 'all' },
    { key: `${prefix}webhook`, trigger: '', service: 'webhook', recipient: '' },
  ]);
});

test('a recipient is added once, beside the others', () => {
  expect(patched(subscribePatch(app, { ...slack, recipient: ' new ' }))).toEqual({
    [slack.key]: 'team;all;new',
  });
  expect(patched(subscribePatch(app, { ...slack, recipient: 'all' }))).toEqual({ [slack.key]: 'team;all' });
  expect(patched(subscribePatch(app, { trigger: 'on-created', service: 'webhook', recipient: '' }))).toEqual({
    [`${prefix}on-created.webhook`]: '',
  });
});

test('the last recipient leaves with the annotation', () => {
  expect(patched(unsubscribePatch(app, { ...slack, recipient: 'team' }))).toEqual({ [slack.key]: 'all' });
  const [, , last] = subscriptionsOf(app);
  expect(last && patched(unsubscribePatch(app, last))).toEqual({ [`${prefix}webhook`]: null });
});
