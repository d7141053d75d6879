import { expect, test } from 'vitest';
import { catalog, readNotifications } from '#control/notify';
import { configView } from './config-view.ts';

const viewOf = (own: Record<string, string>, secrets: Record<string, string> = {}) => {
  const data = { ...catalog, ...own };
  return configView(readNotifications({ namespace: 'argocd', data, secrets, argocdUrl: '' }), data);
};
const named = <T extends { name: string }>(items: readonly T[], name: string) =>
  items.find((one) => one.name === name);

test('the catalog is in force where no key replaces it', () => {
  const { triggers, templates, services, subscriptions } = viewOf({});
  expect(triggers).toHaveLength(Object.keys(catalog).filter((key) => key.startsWith('trigger.')).length);
  expect(triggers.every(({ isBuiltIn }) => isBuiltIn)).toBe(true);
  expect(templates.every(({ isBuiltIn, text }) => isBuiltIn && text !== '')).toBe(true);
  expect([services, subscriptions]).toEqual([[], []]);
});

test('a key of the ConfigMap replaces a built-in one, unless it cannot be used', () => {
  const view = viewOf({
    'trigger.on-created': '- when: app.metadata.name != ""\n  send: [mine]\n  description: ours',
    'trigger.on-deployed': 'not a list',
    'template.mine': 'message: hello {{.app.metadata.name}}',
    'template.app-deployed': 'message: "{{"',
  });
  expect(named(view.triggers, 'on-created')).toEqual({
    name: 'on-created',
    isBuiltIn: false,
    conditions: [{ when: 'app.metadata.name != ""', send: ['mine'], description: 'ours' }],
  });
  expect(named(view.triggers, 'on-deployed')).toMatchObject({ isBuiltIn: true });
  expect(named(view.templates, 'mine')).toMatchObject({
    isBuiltIn: false,
    text: 'message: hello {{.app.metadata.name}}',
  });
  expect(named(view.templates, 'app-deployed')).toMatchObject({
    isBuiltIn: true,
    text: catalog['template.app-deployed'],
  });
  expect(view.problems.map(({ key }) => key).toSorted()).toEqual([
    'template.app-deployed',
    'trigger.on-deployed',
  ]);
});

test('of a service its name and type are shown, and no option', () => {
  const view = viewOf(
    { 'service.slack': 'token: $slack-token', 'service.webhook.grafana': 'url: https://user:pass@g.example' },
    { 'slack-token': 'xoxb-1' },
  );
  expect(view.services).toEqual([
    { name: 'grafana', type: 'webhook' },
    { name: 'slack', type: 'slack' },
  ]);
  expect(JSON.stringify(view)).not.toMatch(/xoxb-1|user:pass/);
});

test('subscriptions, default triggers and rules are shown as they were read', () => {
  const view = viewOf({
    subscriptions: '- recipients: ["slack:ops"]\n  triggers: [on-created]\n  selector: team=shop',
    defaultTriggers: '[on-created]',
    'defaultTriggers.slack': '[on-deployed]',
    'fairlead.delivery': 'groupFrom: 3\ngroupWait: 1s\nperMinute: 10',
  });
  expect(view).toMatchObject({
    subscriptions: [
      {
        destinations: [{ service: 'slack', recipient: 'ops' }],
        triggers: ['on-created'],
        selector: 'team=shop',
      },
    ],
    defaultTriggers: ['on-created'],
    serviceTriggers: { slack: ['on-deployed'] },
    rules: { groupFrom: 3, groupWaitMs: 1000, perMinute: 10 },
  });
});
