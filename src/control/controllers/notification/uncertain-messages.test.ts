import { expect, test } from 'vitest';
import type { OutboxEntry } from './outbox.ts';
import { UncertainMessages } from './uncertain-messages.ts';

const entry = (id: string, message: string, uid = 'web'): OutboxEntry => ({
  id,
  app: { uid, namespace: 'shop', name: uid, project: '' },
  due: {
    ...{ namespace: 'argo-rollouts', trigger: 'on-rollout-paused', mark: id, isOncePer: false },
    destination: { service: 'slack', recipient: 'ops' },
  },
  notification: { message, part: undefined },
  event: { kind: 'Rollout', type: 'Normal', reason: 'RolloutPaused', message },
  since: 0,
  isPast: false,
});
const ids = (entries: readonly OutboxEntry[]) => entries.map(({ id }) => id);

test('an event that is planned again is the same message, another one had happened', () => {
  const messages = new UncertainMessages();
  messages.hold([entry('a', 'step 1'), entry('b', 'step 2')], 0);
  messages.hold([entry('c', 'step 1', 'other')], 0);
  const again = messages.find(entry('new', 'step 2'));
  expect(again?.id).toBe('b');
  expect(messages.find(entry('new', 'step 3'))).toBeUndefined();
  if (again) messages.drop(again);
  expect(ids(messages.release('web'))).toEqual(['a']);
  expect([messages.has('web'), messages.has('other')]).toEqual([false, true]);
});

test('a message that no pass decides about is sent after a minute, from the last failure on', () => {
  const messages = new UncertainMessages();
  messages.hold([entry('a', 'step 1')], 0);
  messages.hold([entry('a', 'step 1')], 30_000);
  expect(ids(messages.releaseOld(60_000))).toEqual([]);
  expect(ids(messages.releaseOld(90_000))).toEqual(['a']);
  expect(ids(messages.releaseOld(200_000))).toEqual([]);
});
