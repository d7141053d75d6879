import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { healthSince, sinceWords } from './health-since.ts';

const at = (minute: string): string => `2026-03-18T14:${minute}:00Z`;
const condition = (type: string, status: string, minute: string) => ({
  type,
  status,
  lastTransitionTime: at(minute),
});
const object = (status: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Any', metadata: { name: 'x' }, status }) as KubeObject;
const minuteOf = (status: object, health: 'Degraded' | 'Progressing' | 'Healthy' = 'Degraded') => {
  const since = healthSince(object(status), health);
  return since && new Date(since.at).getUTCMinutes();
};

test('an object that is not ready is so since its condition says it', () => {
  expect(minuteOf({ conditions: [condition('Ready', 'False', '05')] })).toBe(5);
  expect(minuteOf({ conditions: [condition('Ready', 'Unknown', '05')] }, 'Progressing')).toBe(5);
  expect(minuteOf({ conditions: [condition('Failed', 'True', '07')] })).toBe(7);
});

test('of several troubles the first counts, and what is as it should be does not', () => {
  const conditions = [
    condition('Progressing', 'False', '12'),
    condition('Available', 'False', '02'),
    condition('ReplicaFailure', 'False', '01'),
    condition('Ready', 'True', '00'),
  ];
  expect(minuteOf({ conditions })).toBe(2);
});

test('nothing is said where the status does not tell, or all is well', () => {
  const stillServes = [condition('Available', 'True', '02'), condition('Progressing', 'True', '03')];
  expect(minuteOf({ conditions: stillServes }, 'Progressing')).toBeUndefined();
  expect(minuteOf({ conditions: [{ type: 'Ready', status: 'False' }] })).toBeUndefined();
  expect(minuteOf({ conditions: [condition('Ready', 'False', '05')] }, 'Healthy')).toBeUndefined();
  expect(minuteOf({})).toBeUndefined();
});

test('a pod that restarts was in trouble before its last try as well', () => {
  const status = (restartCount: number) => ({
    conditions: [condition('Ready', 'False', '05')],
    containerStatuses: [{ ready: false, restartCount }],
  });
  const words = (restarts: number) => {
    const since = healthSince(object(status(restarts)), 'Degraded');
    return since && sinceWords(since, Date.parse(at('30')), 'UTC');
  };
  expect([words(0), words(3)]).toEqual([' since 14:05', ' since at least 14:05']);
});
