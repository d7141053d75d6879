import { expect, test } from 'vitest';
import { EventSieve } from './event-sieve.ts';

const about = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default', uid: 'u' } };
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const event = (message: string, reason = 'BackOff') => ({
  type: 'Warning' as const,
  reason,
  message,
  component: 'kubelet',
});

test('the same again is counted', () => {
  const sieve = new EventSieve();
  const counts = [0, 1, 2].map((second) => sieve.judge(about, event('again'), at(second))?.count);
  expect(counts).toEqual([1, 2, 3]);
});

test('the tenth of a kind and all after it are told as one', () => {
  const sieve = new EventSieve();
  const told = Array.from({ length: 12 }, (_, i) => sieve.judge(about, event(`message ${i}`), at(i)));
  expect(told[8]).toMatchObject({ message: 'message 8', count: 1 });
  expect(told[9]).toMatchObject({ message: '(combined from similar events): message 9', count: 1 });
  expect(told[11]).toMatchObject({ message: '(combined from similar events): message 11', count: 3 });
  expect(told[11]?.key).toBe(told[9]?.key);
});

test('after ten quiet minutes each is told by itself again', () => {
  const sieve = new EventSieve();
  for (let i = 0; i < 12; i++) sieve.judge(about, event(`message ${i}`), at(i));
  expect(sieve.judge(about, event('later'), at(700))?.message).toBe('later');
});

test('of a flood 25 get through, then one every five minutes', () => {
  const sieve = new EventSieve();
  const told = Array.from({ length: 40 }, (_, i) => sieve.judge(about, event('x', `Reason${i}`), at(0)));
  expect(told.filter(Boolean)).toHaveLength(25);
  expect(sieve.judge(about, event('x', 'Later'), at(301))).toBeDefined();
  expect(sieve.judge(about, event('x', 'Later'), at(302))).toBeUndefined();
});
