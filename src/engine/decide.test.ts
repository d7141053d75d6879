import { expect, test } from 'vitest';
import type { ResourceStatus } from '#base/model';
import { cases } from '../../test/cases.ts';
import { type AutomationDecision, decide, healDelay } from './decide.ts';

const selfHeal = { selfHealBackoff: { firstMs: 2000, factor: 3, capMs: 300_000 }, selfHealTimeoutMs: 5000 };

test.each(cases<AutomationDecision>(new URL('./testdata/decide/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, compared, resources, now, blocked, supersede } = input[0];
    const rows = resources.map((status: ResourceStatus) => ({ status }));
    const options = {
      now: new Date(now),
      selfHeal,
      ...(blocked && { blocked }),
      ...(supersede && { supersede }),
    };
    expect(decide(app, { ...compared, resources: rows }, options)).toEqual(wanted);
  },
);

test('self-heal waits 0, 2, 6, 18, 54, 162, 300, 300 seconds (R-26, vector 11)', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7].map((attempts) => healDelay(attempts, selfHeal) / 1000);
  expect(delays).toEqual([0, 2, 6, 18, 54, 162, 300, 300]);
});

test('with the backoff off the fixed timeout counts', () => {
  const off = { ...selfHeal, selfHealBackoff: { firstMs: 0, factor: 3, capMs: 300_000 } };
  expect(healDelay(7, off)).toBe(5000);
});
