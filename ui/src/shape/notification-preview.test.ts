import { expect, test } from 'vitest';
import type { NotificationConfigView, NotificationPreviews } from '#serve/api';
import {
  configNotices,
  configSentence,
  defaultTriggersOf,
  subscriptionRows,
  templateText,
} from './notification-config.ts';
import { previewLines, previewSentence, rehearsalIn } from './notification-preview.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
type Item = NotificationPreviews['items'][number];
const item = (more: Partial<Item> = {}): Item => ({
  trigger: 'on-created',
  when: 'true',
  service: 'slack',
  recipient: 'ops',
  isTriggered: true,
  message: 'hello',
  ...more,
});
const sent = item({ sentAt: now / 1000 - 300 });
const quiet = item({ isTriggered: false });
const broken = item({ error: 'template: nil data' });

test.each<[Item, object]>([
  [item(), { destination: 'slack:ops', health: 'Progressing', standing: 'due, and not delivered yet' }],
  [sent, { standing: 'was sent 5 min ago, and is not sent again' }],
  [quiet, { standing: 'not now: its condition does not hold' }],
  [broken, { health: 'Degraded', standing: 'cannot be rendered', error: 'template: nil data' }],
  [item({ problem: 'unknown name x' }), { error: 'unknown name x' }],
  [item({ trigger: '', service: '', recipient: '' }), { destination: 'any service', standing: 'rendered' }],
  [item({ part: { color: 'red' } }), { part: 'color: red\n' }],
])('a message says where it goes and whether it would be sent', (given, expected) => {
  expect(previewLines({ items: [given], problems: [] }, now)[0]).toMatchObject(expected);
});

test.each<[readonly Item[], string]>([
  [[], 'It has no subscription: no message is sent about it.'],
  [[quiet, sent], 'None of 2 messages is due now.'],
  [[item(), quiet, sent], '1 of 3 messages is due now.'],
  [[broken, quiet], 'None of 2 messages is due now. 1 cannot be rendered.'],
  [[item({ trigger: '' })], 'Rendered for 1 service.'],
])('a rehearsal in one sentence', (items, sentence) => {
  expect(previewSentence({ items, problems: [] })).toBe(sentence);
});

test.each([
  ['app=argocd/web', { app: 'argocd/web', what: '' }],
  ['app=web&what=trigger:on-created', { app: 'web', what: 'trigger:on-created', trigger: 'on-created' }],
  ['what=template:app-created', { app: '', what: 'template:app-created', template: 'app-created' }],
  ['what=nonsense', { app: '', what: 'nonsense' }],
])('the address %s', (query, expected) => {
  expect(rehearsalIn(new URLSearchParams(query))).toEqual(expected);
});

const config: NotificationConfigView = {
  services: [{ name: 'slack', type: 'slack' }],
  triggers: [],
  templates: [],
  subscriptions: [
    {
      destinations: [
        { service: 'slack', recipient: 'ops' },
        { service: 'hook', recipient: '' },
      ],
      triggers: [],
      selector: '',
    },
    {
      destinations: [{ service: 'slack', recipient: 'shop' }],
      triggers: ['on-created'],
      selector: 'team=shop',
    },
  ],
  defaultTriggers: ['on-created'],
  serviceTriggers: { hook: ['on-deployed'] },
  rules: { groupFrom: 5, groupWaitMs: 2000, perMinute: 30 },
  problems: [{ severity: 'error', key: 'trigger.x', message: 'not a list' }],
};

test('the configuration in words', () => {
  expect(configSentence(config)).toBe(
    'Messages go to 1 service; the configuration has 2 subscriptions of its own. From 5 of one trigger within 2 s they are one message; a destination gets at most 30 a minute.',
  );
  const bare = { ...config, services: [], subscriptions: [], rules: { ...config.rules, groupFrom: 0 } };
  expect(configSentence(bare)).toBe(
    'No service is configured. Each message is sent by itself; a destination gets at most 30 a minute.',
  );
  expect(configNotices(config)).toEqual([{ title: 'trigger.x', message: 'not a list', tone: 'bad' }]);
  expect(['slack', 'hook'].map((name) => defaultTriggersOf(config, name))).toEqual([
    'on-created',
    'on-deployed',
  ]);
  expect(subscriptionRows(config)).toEqual([
    { key: '0', to: 'slack:ops, hook', triggers: 'the default triggers', of: 'all applications' },
    { key: '1', to: 'slack:shop', triggers: 'on-created', of: 'with labels team=shop' },
  ]);
});

test('a built-in template, which is JSON, is shown as YAML; another as it is written', () => {
  expect(templateText('{"message":"hello"}')).toBe('message: hello\n');
  expect(templateText('message: hello # comment')).toBe('message: hello # comment');
});
