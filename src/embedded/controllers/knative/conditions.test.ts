import { expect, test } from 'vitest';
import { Conditions, livingSet } from './conditions.ts';

const set = livingSet('A', 'B');
const at = (second: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, second));
const told = (conditions: Conditions) =>
  conditions.list.map(({ type, status, reason }) => [type, status, reason].join(' ').trim());

test('nothing is known at first, and the list is sorted', () => {
  expect(told(new Conditions(set, undefined, at(0)))).toEqual(['A Unknown', 'B Unknown', 'Ready Unknown']);
});

test('all that counts must be true', () => {
  const conditions = new Conditions(set, undefined, at(0));
  conditions.markTrue('A');
  expect(conditions.is('Ready', 'Unknown')).toBe(true);
  conditions.markTrue('B');
  expect(conditions.is('Ready', 'True')).toBe(true);
});

test('false beats unknown, whoever speaks last', () => {
  const conditions = new Conditions(set, undefined, at(0));
  conditions.markFalse('A', 'Broken', 'it broke');
  conditions.markUnknown('B', 'Waiting');
  expect(told(conditions)).toEqual(['A False Broken', 'B Unknown Waiting', 'Ready False Broken']);
  conditions.markTrue('B');
  expect(conditions.get('Ready')).toMatchObject({ status: 'False', reason: 'Broken', message: 'it broke' });
});

test('what does not count is information', () => {
  const conditions = new Conditions(set, undefined, at(0));
  conditions.markFalse('Active', 'Idle');
  expect(conditions.get('Active')?.severity).toBe('Info');
  expect(conditions.is('Ready', 'Unknown')).toBe(true);
});

test('times move only when something is said that was not said before', () => {
  const first = new Conditions(set, undefined, at(0));
  first.markFalse('A', 'One');
  first.markFalse('B', 'Two');
  const second = new Conditions(set, first.list, at(9));
  second.markFalse('A', 'One');
  second.markFalse('B', 'Two');
  expect(second.list).toEqual(first.list);
  second.markTrue('A');
  expect(second.get('A')?.lastTransitionTime).toBe('2024-01-01T00:00:09Z');
});
