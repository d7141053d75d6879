import { expect, test } from 'vitest';
import { type Application, defaultSettings } from '#base/model';
import { silent, virtualClock } from '#base/std';
import { OtherControllers } from './other-controllers.ts';

const clock = virtualClock({ start: new Date('2026-01-01T12:00:00Z') });
const warned: unknown[] = [];
const log = { ...silent, warn: (_message: string, fields?: object) => void warned.push(fields) };
const ctx = { signal: new AbortController().signal, clock, log };
const context = { namespace: 'argocd', settings: () => defaultSettings };
const appOf = (status: Application['status']): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: {} },
  ...(status && { status }),
});

test('what another controller looked at lately is left to it, told once, and looked at when it has been silent (X-61)', () => {
  const foreign = new OtherControllers({ context, takeOver: false });
  const held = appOf({ controllerNamespace: 'gitops', reconciledAt: '2026-01-01T11:59:00Z' });
  const intervalMs = defaultSettings.refresh.intervalMs;
  expect(foreign.leaveForMs(ctx, held)).toBe(2 * intervalMs - 60_000 + 1000);
  foreign.leaveForMs(ctx, held);
  expect(warned).toEqual([
    {
      why:
        'application shop was reconciled at 2026-01-01T11:59:00Z by the controller in namespace gitops; ' +
        'stop that one, or start with --take-over',
    },
  ]);
  const silentSince = appOf({ controllerNamespace: 'gitops', reconciledAt: '2026-01-01T11:00:00Z' });
  expect(foreign.leaveForMs(ctx, silentSince)).toBeUndefined();
});

test('our own, those of nobody, and those we are told to take are ours (X-60, X-61)', () => {
  const foreign = new OtherControllers({ context, takeOver: false });
  expect(foreign.leaveForMs(ctx, appOf(undefined))).toBeUndefined();
  const recent = { reconciledAt: '2026-01-01T11:59:59Z' };
  expect(foreign.leaveForMs(ctx, appOf({ controllerNamespace: 'argocd', ...recent }))).toBeUndefined();
  const taking = new OtherControllers({ context, takeOver: true });
  expect(taking.leaveForMs(ctx, appOf({ controllerNamespace: 'gitops', ...recent }))).toBeUndefined();
});
