import { expect, test } from 'vitest';
import type { Rollout } from '#engine/rollouts';
import { afterUndo, undoRequest } from './rollout-undo.ts';

const rollout = (more: Partial<Rollout> = {}): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'cart', namespace: 'shop' },
  ...more,
});

test('what is requested: the Revision by its generation, a reason and a branch where they are given', () => {
  const wanted = { service: 'cart', namespace: 'shop', generation: 7 };
  expect(undoRequest(wanted, { reason: '', branch: '' })).toEqual(wanted);
  expect(undoRequest(wanted, { reason: 'errors', branch: 'way-back' })).toEqual({
    ...wanted,
    reason: 'errors',
    branch: 'way-back',
  });
});

test('what follows the commit: the steps, the rollback window, or nothing while the traffic is pinned', () => {
  expect(afterUndo(rollout())).toBe(
    'Once the commit is synced, the restored template is an update: it gets the requests by the steps of the Rollout.',
  );
  const rollbackWindow = { revisions: 3 };
  expect(afterUndo(rollout({ spec: { rollbackWindow } }))).toMatch(
    /the requests at once within its rollback window, otherwise by the steps of the Rollout\.$/,
  );
  const conditions = [{ type: 'ManualTraffic', status: 'True' as const, message: 'ann' }];
  expect(afterUndo(rollout({ spec: { rollbackWindow }, status: { conditions } }))).toBe(
    'A person has pinned the traffic: this commit moves none of it, until fairlead rollouts undo cart -n shop --clear.',
  );
});
