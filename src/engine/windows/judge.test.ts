import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Application, AppProject, Operation, OperationState, SyncWindow } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { windowProblems, windowWarnings } from './check.ts';
import {
  gateAutomation,
  gateOperation,
  gateRequest,
  givenInfo,
  overrideInfo,
  windowOverride,
} from './gate.ts';
import { judgeWindows } from './judge.ts';
import { windowsFor } from './match.ts';
import { previewWindows, viewWindows } from './preview.ts';

const date = (text: string | undefined, key: string) => (text ? { [key]: new Date(text) } : {});

test.each(cases<object>(new URL('./testdata/judge/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { windows, now, initiator, startedAt, override } = input[0];
    const options = { now: new Date(now), initiator, ...date(startedAt, 'startedAt') };
    const verdict = judgeWindows(windows, { ...options, ...date(override, 'overriddenUntil') });
    expect(JSON.parse(JSON.stringify(verdict))).toEqual(wanted);
  },
);

test.each(cases<boolean>(new URL('./testdata/match/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, window } = input[0];
    const destination = { server: app.server, name: app.destinationName, namespace: app.namespace };
    const subject = { metadata: { name: app.name }, spec: { destination } };
    expect(windowsFor([window], subject).length === 1).toBe(wanted);
  },
);

test('a verdict allowed at the opening is allowed at that millisecond and not before (P-41)', () => {
  const windows: SyncWindow[] = [{ kind: 'allow', schedule: '0 8 * * *', duration: '1h' }];
  const ask = (now: Date) => judgeWindows(windows, { now, initiator: 'automated' });
  const verdict = ask(new Date('2026-06-01T03:00:00Z'));
  const opensAt = verdict.allowed ? undefined : verdict.opensAt;
  expect(ask(opensAt ?? new Date(0)).allowed).toBe(true);
  expect(ask(new Date((opensAt?.getTime() ?? 0) - 1)).allowed).toBe(false);
});

test('two windows that take turns for ever are asked about again later', () => {
  const windows: SyncWindow[] = [
    { kind: 'deny', schedule: '*/2 * * * *', duration: '1m' },
    { kind: 'deny', schedule: '1-59/2 * * * *', duration: '1m' },
  ];
  const verdict = judgeWindows(windows, { now: new Date('2026-01-02T00:00:30Z'), initiator: 'automated' });
  expect(verdict.allowed || verdict.opensAt?.toISOString()).toMatch(/^2026-01-02T00:[2-5]/);
});

test('a denial with manualSync is a way in for people while no allow window is open (P-41)', () => {
  const window = { duration: '10m', timeZone: 'UTC' };
  const windows: SyncWindow[] = [
    { ...window, kind: 'allow', schedule: '0 2 * * *' },
    { ...window, kind: 'deny', schedule: '30 * * * *', manualSync: true },
  ];
  const now = new Date('2026-06-01T00:10:00Z');
  expect(judgeWindows(windows, { now, initiator: 'manual' })).toMatchObject({
    allowed: false,
    opensAt: new Date('2026-06-01T00:30:00.001Z'),
  });
  expect(judgeWindows(windows, { now, initiator: 'automated' })).toMatchObject({
    opensAt: new Date('2026-06-01T02:00:00.001Z'),
  });
});

test('an opening is the first there is, whatever the windows (P-41)', () => {
  const window = fc.record({
    kind: fc.constantFrom('allow' as const, 'deny' as const),
    schedule: fc.constantFrom('*/30 * * * *', '0 */2 * * *', '15 1-3 * * *', '0 2 * * *'),
    duration: fc.constantFrom('10m', '29m', '1h', '90m'),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
    manualSync: fc.boolean(),
  });
  const initiator = fc.constantFrom('automated' as const, 'manual' as const);
  const start = Date.parse('2026-10-25T00:00:30Z');
  fc.assert(
    fc.property(fc.array(window, { minLength: 1, maxLength: 4 }), initiator, (windows, who) => {
      const ask = (at: number) => judgeWindows(windows, { now: new Date(at), initiator: who });
      const verdict = ask(start);
      if (verdict.allowed || !verdict.opensAt) return;
      const opensAt = verdict.opensAt.getTime();
      // whole minutes, so that it is never asked at the very instant between two windows
      const stride = Math.max(1, Math.floor((opensAt - start) / 40 / 60_000)) * 60_000;
      for (let at = start; at < opensAt; at += stride) expect(ask(at).allowed).toBe(false);
      // where none is found we are told how far it was looked for
      expect(ask(opensAt).allowed || opensAt > start + 6 * 3_600_000).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('an override is a time, written in full (X-22)', () => {
  const app = (text: string) => ({
    metadata: { name: 'a', annotations: { 'fairlead.io/sync-window-override': text } },
  });
  expect(windowOverride(app('2026-06-01T08:00:00+02:00'))?.toISOString()).toBe('2026-06-01T06:00:00.000Z');
  expect(windowOverride(app('tomorrow'))).toBeUndefined();
  expect(windowOverride(app('true'))).toBeUndefined();
  expect(windowOverride({ metadata: { name: 'a' } })).toBeUndefined();
  // what a user's document recommends is a sync option and lifts nothing
  const annotations = { 'argocd.argoproj.io/sync-options': 'RespectIgnoreDifferences=true' };
  expect(windowOverride({ metadata: { name: 'a', annotations } })).toBeUndefined();
});

const good: SyncWindow = { kind: 'deny', schedule: '0 0 * * *', duration: '1h', applications: ['*'] };

test('what makes a window unacceptable is told with its place (P-40, P-43, P-46)', () => {
  expect(windowProblems([good])).toEqual([]);
  expect(windowProblems(undefined)).toEqual([]);
  const bad = {
    ...good,
    kind: 'Deny' as 'deny',
    duration: '1d',
    applications: [],
    description: 'x'.repeat(256),
  };
  expect(windowProblems([good, bad])).toEqual([
    'spec.syncWindows[1] has the kind "Deny"; write allow or deny',
    'spec.syncWindows[1] is not readable: invalid duration "1d": write a number and a unit, such as 90s, 5m or 1h30m',
    'spec.syncWindows[1] concerns nothing; give applications, namespaces or clusters',
    'spec.syncWindows[1] has a description longer than 255 characters',
  ]);
});

test('twins are found whatever their manualSync, syncOverrun and description say (P-46)', () => {
  const twin = { ...good, manualSync: true, syncOverrun: true, description: 'again' };
  expect(windowProblems([good, { ...good, duration: '2h' }, twin])).toEqual([
    'spec.syncWindows[2] repeats spec.syncWindows[0]; merge the two, as one of them has no effect of its own',
  ]);
  expect(windowProblems([good, { ...good, andOperator: true }, { ...good, timeZone: 'Asia/Tokyo' }])).toEqual(
    [],
  );
});

test('what a window may not have been meant to do is told (P-42, P-43, X-25)', () => {
  const open: SyncWindow = { ...good, kind: 'allow', schedule: '* * * * *', duration: '24h' };
  expect(windowWarnings([open])).toEqual([]);
  expect(windowWarnings(undefined)).toEqual([]);
  expect(
    windowWarnings([open, good, { ...good, timeZone: 'Mars/Base' }, { ...good, schedule: 'x' }]),
  ).toEqual([
    'spec.syncWindows[0] is an allow window "* * * * *" for 24h that never closes, yet an active deny window still wins over it',
    'spec.syncWindows[2] has the unknown time zone "Mars/Base", so UTC is used',
    'spec.syncWindows[3] holds every sync it concerns: schedule "x" cannot be read: it needs five fields: minute, hour, day of the month, month, weekday',
  ]);
});

test('a preview says what is open, when that changes and what wins (P-42, X-25)', () => {
  const open: SyncWindow = { ...good, kind: 'allow', schedule: '* * * * *', duration: '24h' };
  const elsewhere: SyncWindow = { ...good, applications: ['other'] };
  const app = { metadata: { name: 'critical' }, spec: { destination: {} } };
  const preview = previewWindows([open, good, elsewhere], app, new Date('2026-06-01T00:30:00Z'));
  expect(preview.windows.map((view) => [view.open, view.changesAt?.toISOString()])).toEqual([
    [true, undefined],
    [true, '2026-06-01T01:00:00.000Z'],
  ]);
  expect([preview.automated.allowed, preview.manual.allowed]).toEqual([false, false]);
  expect(preview.notes).toEqual([
    'the deny window "0 0 * * *" for 1h wins over the allow window "* * * * *" for 24h: a deny always does',
  ]);
  expect(previewWindows([open], app, new Date('2026-06-01T00:30:00Z')).notes).toEqual([]);
});

test('a view of a window that cannot be read says why', () => {
  const [view] = viewWindows([{ ...good, duration: 'long' }], new Date(0));
  expect(view).toMatchObject({ open: false, problem: expect.stringContaining('invalid duration "long"') });
  expect(viewWindows(undefined, new Date(0))).toEqual([]);
});

const application = (annotations: Record<string, string> = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', annotations },
  spec: { destination: { namespace: 'shop' } },
});
const projectWith = (...syncWindows: SyncWindow[]): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'p' },
  spec: { syncWindows },
});
const midnight = new Date('2026-06-01T00:30:00Z');
const running = (more: Partial<OperationState> = {}, operation: Operation = {}): OperationState => ({
  operation,
  phase: 'Running',
  startedAt: '2026-06-01T00:10:00Z',
  ...more,
});

test('automation is held by a window that concerns the application, and by no other (R-21, P-44)', () => {
  expect(gateAutomation(projectWith(good), application(), midnight).allowed).toBe(false);
  expect(gateAutomation(projectWith({ ...good, applications: ['x'] }), application(), midnight).allowed).toBe(
    true,
  );
});

test('a running operation is held, one that is being terminated is not (R-35, S-1, P-44)', () => {
  expect(gateOperation(projectWith(good), application(), running(), midnight).allowed).toBe(false);
  const ending = running({ phase: 'Terminating' });
  expect(gateOperation(projectWith(good), application(), ending, midnight).allowed).toBe(true);
});

test('the initiator is that of the operation being executed (R-35)', () => {
  const project = projectWith({ ...good, manualSync: true });
  // the operation before was automated, and the status still says so
  const automated = {
    operation: { initiatedBy: { automated: true } },
    phase: 'Succeeded',
    startedAt: '',
  } as const;
  const app = { ...application(), status: { operationState: automated } };
  const manual = running({}, { initiatedBy: { username: 'jane' } });
  expect(gateOperation(project, app, manual, midnight).allowed).toBe(true);
  expect(gateOperation(project, app, running({}, automated.operation), midnight).allowed).toBe(false);
});

test('an operation that began before the window goes on where it may overrun (P-45)', () => {
  const before = running({ startedAt: '2026-05-31T23:59:00Z' });
  expect(gateOperation(projectWith({ ...good, syncOverrun: true }), application(), before, midnight)).toEqual(
    {
      allowed: true,
      overrun: true,
    },
  );
  expect(gateOperation(projectWith(good), application(), before, midnight).allowed).toBe(false);
});

test('force opens no window (P-47, X-23)', () => {
  const forced = running({}, { sync: { syncStrategy: { hook: { force: true } } } });
  expect(gateOperation(projectWith(good), application(), forced, midnight).allowed).toBe(false);
});

test('an override counts for people who may, while the application asks for it (X-22)', () => {
  const project = projectWith(good);
  const app = application({ 'fairlead.io/sync-window-override': '2026-06-01T00:45:00Z' });
  const ask = (mayOverride: boolean, now = midnight) => gateRequest(project, app, { now, mayOverride });
  expect(ask(false).allowed).toBe(false);
  expect(ask(true)).toEqual({ allowed: true, overrides: new Date('2026-06-01T00:45:00Z') });
  expect(ask(true, new Date('2026-06-01T00:50:00Z')).allowed).toBe(false);
  expect(gateRequest(projectWith(), app, { now: midnight, mayOverride: true })).toEqual({ allowed: true });

  const info = [overrideInfo(new Date('2026-06-01T00:45:00Z'))];
  expect(gateOperation(project, app, running({}, { info }), midnight).allowed).toBe(true);
  expect(gateOperation(project, application(), running({}, { info }), midnight).allowed).toBe(false);
  expect(gateOperation(project, app, running(), midnight).allowed).toBe(false);
  const automated = { info, initiatedBy: { automated: true } };
  expect(gateOperation(project, app, running({}, automated), midnight).allowed).toBe(false);
});

test('an override is not for applications in the namespaces of teams, who could write their own pass (X-22)', () => {
  const app = application({ 'fairlead.io/sync-window-override': '2026-06-01T00:45:00Z' });
  const away = { ...app, metadata: { ...app.metadata, namespace: 'team' } };
  const info = [overrideInfo(new Date('2026-06-01T00:45:00Z'))];
  expect(gateRequest(projectWith(good), away, { now: midnight, mayOverride: true }).allowed).toBe(false);
  expect(gateOperation(projectWith(good), away, running({}, { info }), midnight).allowed).toBe(false);
});

test('nobody brings a pass of their own (X-22)', () => {
  const reason = { name: 'reason', value: 'because' };
  expect(givenInfo([reason, overrideInfo(midnight)])).toEqual([reason]);
});
