import { expect, test } from 'vitest';
import type { DeliveryView } from '#serve/api';
import { deliveryLines, deliverySentence } from './deliveries.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const record = (more: Partial<DeliveryView> = {}): DeliveryView => ({
  at: '2026-06-01T07:59:00Z',
  namespace: 'argocd',
  application: 'web',
  project: 'default',
  trigger: 'on-sync-failed',
  service: 'slack',
  recipient: 'ops',
  outcome: 'delivered',
  attempts: 1,
  ...more,
});
const failed = (more: Partial<DeliveryView> = {}) =>
  record({ outcome: 'failed', attempts: 3, error: 'it answered 500', ...more });

test.each<[string, DeliveryView, object]>([
  ['a delivery', record(), { destination: 'slack:ops', outcome: 'delivered', health: 'Healthy' }],
  ['a webhook has no recipient', record({ recipient: '' }), { destination: 'slack' }],
  ['a later try', record({ attempts: 4 }), { outcome: 'delivered after 4 tries' }],
  ['a grouped message', record({ together: 7 }), { together: 'one message about 7 applications' }],
  [
    'a failure with its next try',
    failed({ nextAt: '2026-06-01T08:00:42Z' }),
    { outcome: 'failed 3 times', health: 'Degraded', cause: 'it answered 500', next: 'next try in 42 s' },
  ],
  ['a try that is due', failed({ nextAt: '2026-06-01T07:59:59Z' }), { next: 'the next try is due' }],
  [
    'a text that could not be made',
    failed({ attempts: 0 }),
    { outcome: 'not sent', next: 'rendered again when the application changes' },
  ],
  [
    'one that was given up',
    failed({ outcome: 'given up', attempts: 12 }),
    { outcome: 'given up after 12 tries' },
  ],
])('%s', (_name, given, expected) => {
  expect(deliveryLines([given], now)[0]).toMatchObject(expected);
});

test('what was delivered or given up has no next try', () => {
  const lines = deliveryLines(
    [record({ nextAt: '2026-06-01T09:00:00Z' }), failed({ outcome: 'given up' })],
    now,
  );
  expect(lines.map(({ next }) => next)).toEqual([undefined, undefined]);
});

test.each<[readonly DeliveryView[], string]>([
  [[], 'No notification has been sent yet.'],
  [[record()], 'The last notification was delivered.'],
  [[record(), record()], 'The last 2 notifications were all delivered.'],
  [
    [record(), failed(), failed(), failed({ outcome: 'given up' })],
    'Of the last 4 notifications: 1 delivered, 2 failed and are tried again, 1 given up.',
  ],
  [[failed()], 'Of the last 1 notification: none delivered, 1 failed and is tried again.'],
])('the log in one sentence', (records, sentence) => {
  expect(deliverySentence(records)).toBe(sentence);
});
