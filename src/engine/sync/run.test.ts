import { expect, test } from 'vitest';
import type { KubeObject, OperationState } from '#base/model';
import { hookObject, isHookOfSameSecond } from './run.ts';

const hook: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', namespace: 'd' },
};
const begun = (startedAt: string, retryCount = 0): OperationState => ({
  operation: { sync: {} },
  phase: 'Running',
  startedAt,
  retryCount,
});

test('a hook is known by the second its operation began in, whichever attempt or phase made it (R-43)', () => {
  const made = hookObject(hook, 'PostSync', { state: begun('2026-06-01T08:00:00Z', 2), revision: 'abc' });
  expect(isHookOfSameSecond(made, begun('2026-06-01T08:00:00Z'))).toBe(true);
  expect(isHookOfSameSecond(made, begun('2026-06-01T08:00:01Z'))).toBe(false);
  expect(isHookOfSameSecond(hook, begun('2026-06-01T08:00:00Z'))).toBe(false);
});
