import { expect, test } from 'vitest';
import { barTimes, stretchOf, timeOf } from './bar-times.ts';
import { sampleOperation, sampleRun } from './sample-application.ts';

// the sample operation runs from 14:01:00 to 14:01:30
const at = (time: string) => Date.parse(`2026-03-18T${time}Z`);
const job = (status: object) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate' },
  status,
});
const began = at('14:01:00');
const now = at('14:02:00');
const words = (createdAt: number | undefined, status?: object, state = sampleOperation()) =>
  timeOf(
    { state: state.finishedAt ? 'done' : 'running' },
    barTimes(state, createdAt === undefined ? {} : { createdAt }, status && job(status)),
    { began, now },
  );

test.each<[string, string, object | undefined]>([
  ['took 12 s', '14:01:03', { completionTime: '2026-03-18T14:01:15Z' }],
  [
    'took 4 s',
    '14:01:03',
    { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-03-18T14:01:07Z' }] },
  ],
  [
    'took 6 s',
    '14:01:03',
    { containerStatuses: [{ state: { terminated: { finishedAt: '2026-03-18T14:01:09Z' } } }] },
  ],
  ['3 s after the start', '14:01:03', { containerStatuses: [{ state: {} }] }],
  ['3 s after the start', '14:01:03', undefined],
])('%s is said where the cluster recorded it', (text, created, status) => {
  expect(words(at(created), status)).toBe(text);
});

test('a time that was not recorded, or is that of another operation, is unknown', () => {
  expect(words(undefined)).toBe('time unknown');
  expect(words(at('13:00:00'))).toBe('time unknown');
  expect(words(at('14:01:45'))).toBe('time unknown');
  expect(words(at('14:01:03'), { completionTime: '2026-03-18T15:00:00Z' })).toBe('3 s after the start');
});

test('what runs says for how long, and what waits or is left alone takes none', () => {
  expect(words(at('14:01:03'), undefined, sampleRun())).toBe('for 57 s');
  expect(timeOf({ state: 'waiting' }, {}, { began, now })).toBe('');
  expect(timeOf({ state: 'kept' }, {}, { began, now })).toBe('');
});

test.each([
  [
    { start: 2000, end: 5000 },
    { began: 0, now: 0, ended: 10_000 },
    { left: 20, width: 30 },
  ],
  [{ start: 2000 }, { began: 0, now: 4000 }, { left: 50, width: 50 }],
  [
    { start: 9990, end: 10_000 },
    { began: 0, now: 0, ended: 10_000 },
    { left: 96, width: 4 },
  ],
  [{}, { began: 0, now: 4000 }, undefined],
  [{ start: 0 }, { began: 0, now: 0, ended: 0 }, undefined],
])('the bar of %o in %o is %o', (times, run, stretch) => {
  expect(stretchOf(times, run)).toEqual(stretch);
});
