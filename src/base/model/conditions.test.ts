import { describe, expect, test } from 'vitest';
import type { ApplicationCondition } from './application-status.ts';
import {
  conditionOf,
  isConditionTrue,
  isErrorCondition,
  setApplicationConditions,
  setCondition,
} from './conditions.ts';
import type { Condition } from './kube-object.ts';

const before = '2024-01-01T00:00:00Z';
const now = new Date('2024-02-02T02:02:02Z');
const later = '2024-02-02T02:02:02Z';
const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Up',
  message: 'fine',
  lastTransitionTime: before,
};

describe('a Kubernetes condition', () => {
  test('is found by type and is true only when it says so', () => {
    expect(conditionOf([ready], 'Ready')).toBe(ready);
    expect(conditionOf(undefined, 'Ready')).toBeUndefined();
    expect(isConditionTrue([ready], 'Ready')).toBe(true);
    expect(isConditionTrue([{ type: 'Ready', status: 'Unknown' }], 'Ready')).toBe(false);
    expect(isConditionTrue([], 'Ready')).toBe(false);
  });
  test('that is new gets the time', () => {
    expect(setCondition([ready], { type: 'Done', status: 'False' }, now)).toEqual([
      ready,
      { type: 'Done', status: 'False', lastTransitionTime: later },
    ]);
  });
  test('keeps its time while its status is the same', () => {
    const next = { type: 'Ready', status: 'True', reason: 'Up', message: 'better' };
    expect(setCondition([ready], next, now)).toEqual([{ ...next, lastTransitionTime: before }]);
  });
  test('changes its time with its status', () => {
    const [changed] = setCondition([ready], { ...ready, status: 'False', lastTransitionTime: later }, now);
    expect(changed).toEqual({ ...ready, status: 'False', lastTransitionTime: later });
  });
  test('that says nothing new leaves the very same list', () => {
    const list = [ready];
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up', message: 'fine' }, now)).toBe(
      list,
    );
  });
});

describe('Application conditions (A-26)', () => {
  const condition = (
    type: ApplicationCondition['type'],
    message: string,
    time?: string,
  ): ApplicationCondition =>
    time === undefined ? { type, message } : { type, message, lastTransitionTime: time };
  test('what was evaluated and not found goes, other types stay, the rest is sorted', () => {
    const existing = [
      condition('SyncError', 'refused', before),
      condition('ComparisonError', 'gone', before),
    ];
    const found = [condition('RepeatedResourceWarning', 'b'), condition('RepeatedResourceWarning', 'a')];
    const evaluated = new Set(['ComparisonError', 'RepeatedResourceWarning'] as const);
    expect(setApplicationConditions(existing, found, evaluated, now)).toEqual([
      condition('RepeatedResourceWarning', 'a', later),
      condition('RepeatedResourceWarning', 'b', later),
      condition('SyncError', 'refused', before),
    ]);
  });
  test('type and message unchanged keep the old time, in lists of one type too', () => {
    const existing = [
      condition('RepeatedResourceWarning', 'a', before),
      condition('RepeatedResourceWarning', 'b', before),
    ];
    const found = [condition('RepeatedResourceWarning', 'b'), condition('RepeatedResourceWarning', 'c')];
    const result = setApplicationConditions(
      existing,
      found,
      new Set(['RepeatedResourceWarning'] as const),
      now,
    );
    expect(result.map((c) => [c.message, c.lastTransitionTime])).toEqual([
      ['b', before],
      ['c', later],
    ]);
  });
  test('an error is what is named one', () => {
    expect(isErrorCondition(condition('SyncError', ''))).toBe(true);
    expect(isErrorCondition(condition('SharedResourceWarning', ''))).toBe(false);
  });
});
