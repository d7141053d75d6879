import { expect, test } from 'vitest';
import { cases } from '../../test/cases.ts';
import { deeper, isReconciliation, neededRefresh, type Refresh } from './refresh.ts';

test.each(cases<Refresh | null>(new URL('./testdata/refresh/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, now, intervals, requested } = input[0];
    expect(
      neededRefresh(app, { now: new Date(now), intervals, ...(requested && { requested }) }) ?? null,
    ).toEqual(wanted);
  },
);

test('of two requests the deeper one is kept (R-5)', () => {
  expect(deeper('tree', 'tracked')).toBe('tracked');
  expect(deeper('resolved', 'recorded')).toBe('resolved');
});

test('only a look at the tracked revision is a reconciliation (R-6)', () => {
  expect(
    ['tree', 'recorded', 'tracked', 'resolved'].map((level) => isReconciliation(level as Refresh['level'])),
  ).toEqual([false, false, true, true]);
});
