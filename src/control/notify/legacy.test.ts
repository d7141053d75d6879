import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { decideNotifications, maskSecrets, readNotifications } from './index.ts';

const config = `
triggers:
  - { name: on-broken, condition: app.status.health.status == 'Degraded', template: broken }
  - { name: on-health-degraded, enabled: true }
  - { name: on-sync-failed, enabled: false }
templates:
  - name: broken
    title: '{{.app.metadata.name}} is broken'
    body: 'Look at {{.app.metadata.name}}.'
    slack: { attachments: '[]' }
context: { site: x }
subscriptions:
  - { recipients: ['slack:ops'], trigger: on-broken }
`;
const notifiers = `
slack: { token: legacy-token, username: cd }
webhook:
  - { name: hook, url: 'https://x', headers: [{ name: a, value: Bearer legacy-header }] }
`;
const read = (data: Record<string, string>, secrets: Record<string, string> = {}) =>
  readNotifications({ namespace: 'argocd', data, secrets, argocdUrl: 'https://cd.example' });
const app = {
  metadata: { name: 'shop', namespace: 'argocd', uid: 'u1' },
  spec: { project: 'default', source: { repoURL: 'https://git.example/x' }, destination: {} },
  status: { health: { status: 'Degraded' } },
} as unknown as Application;
const subject = { app, project: undefined, now: () => 0, commit: () => undefined };

test('server §6.1: the legacy config.yaml and notifiers.yaml are read', () => {
  const found = read({ 'config.yaml': config }, { 'notifiers.yaml': notifiers });
  expect(found.problems).toEqual([]);
  expect([...found.services.values()].map(({ name, type }) => `${type}.${name}`)).toEqual([
    'slack.slack',
    'webhook.hook',
  ]);
  expect(found.defaultTriggers).toEqual(['on-broken', 'on-health-degraded']);
  expect(found.context).toMatchObject({ site: 'x' });
  const { due } = decideNotifications([found], subject);
  expect(due).toMatchObject([{ trigger: 'on-broken', destination: { service: 'slack', recipient: 'ops' } }]);
});

test('a key of today replaces what the legacy documents say', () => {
  const today = { 'template.broken': 'message: today', 'service.slack': 'token: $t' };
  const found = read({ 'config.yaml': config, ...today }, { 'notifiers.yaml': notifiers, t: 'new' });
  expect(found.services.get('slack')?.options).toEqual({ token: 'new' });
});

test('what is secret in notifiers.yaml is never printed', () => {
  const { secrets } = read({}, { 'notifiers.yaml': notifiers });
  const printed = maskSecrets('cd said legacy-token and Bearer legacy-header to https://x', secrets);
  expect(printed).not.toContain('legacy');
  expect(printed).toContain('https://x');
});

test.each([
  ['x', 'it is not a map of fields'],
  ['triggers: x', 'triggers is not a list'],
  ['templates: [{ body: x }]', 'templates[0] has no name'],
  ['triggers: [{ name: a, condition: "1 +", template: b }]', 'trigger.a: '],
  ['templates: [{ name: a, body: "{{.a" }]', 'template.a: '],
])('the legacy document %j is a problem of its key: %s', (text, message) => {
  expect(read({ 'config.yaml': text }).problems[0]).toMatchObject({
    key: 'config.yaml',
    severity: 'error',
    message: expect.stringContaining(message),
  });
});
