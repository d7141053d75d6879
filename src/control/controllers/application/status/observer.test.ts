import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { realClock, silent } from '#base/std';
import { logChange } from './observer.ts';

const appOf = (status: Application['status']): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: {} },
  ...(status && { status }),
});

test('a pass that changed what people read is one line, any other is none', () => {
  const lines: unknown[] = [];
  const log = {
    ...silent,
    info: (message: string, fields?: object) => void lines.push({ message, ...fields }),
  };
  const ctx = { signal: new AbortController().signal, clock: realClock, log };
  const before = appOf({
    sync: { status: 'OutOfSync', revision: 'a' },
    reconciledAt: '2026-01-01T00:00:00Z',
  });
  logChange(ctx, before, appOf({ ...before.status, reconciledAt: '2026-01-01T00:03:00Z' }));
  expect(lines).toEqual([]);
  const conditions = [{ type: 'SyncError' as const, message: 'no' }];
  logChange(ctx, before, appOf({ sync: { status: 'Synced', revision: 'b' }, conditions }));
  expect(lines).toEqual([
    {
      message: 'application changed',
      app: 'shop',
      sync: 'Synced',
      health: 'Unknown',
      revision: 'b',
      conditions: 'SyncError',
    },
  ]);
});
