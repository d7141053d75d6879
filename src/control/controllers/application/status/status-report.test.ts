import { expect, test } from 'vitest';
import type { Application, ApplicationCondition, ApplicationStatus, ResourceStatus } from '#base/model';
import { FairleadError } from '#base/std';
import type { ApplicationComparison } from '#control/comparison';
import type { Refresh } from '#engine';
import { StatusReport } from './status-report.ts';

const source = { repoURL: 'https://git.example/a', path: 'a' };
const appWith = (status?: ApplicationStatus): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { source, destination: { name: 'in-cluster' } },
  ...(status && { status }),
});
const now = new Date('2026-01-01T00:00:00Z');
const row: ResourceStatus = {
  version: 'v1',
  kind: 'ConfigMap',
  namespace: 'd',
  name: 'a',
  status: 'OutOfSync',
  health: { status: 'Healthy' },
};
/** a probe without a port. */
const unprobed = {
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'shop' },
  spec: {
    template: { spec: { containers: [{ image: 'shop:1', startupProbe: { httpGet: { path: '/' } } }] } },
  },
};
function lookOf(
  conditions: ApplicationCondition[] = [],
  more: { hints?: string[]; objects?: object[] } = {},
): ApplicationComparison {
  const comparison = {
    status: 'OutOfSync',
    health: { status: 'Degraded', message: 'Deployment web' },
    resources: [{ status: row }],
    hooks: [],
    deleteHooks: [],
    conditions,
    warnings: [],
    hints: more.hints ?? [],
  };
  const generated = { revisions: ['abc'], sourceTypes: ['Directory'] };
  return {
    comparison,
    generated,
    target: { objects: more.objects ?? [] },
  } as unknown as ApplicationComparison;
}
const refresh = (level: Refresh['level']): Refresh => ({ level, hard: false, why: '' });
function reported(
  status: ApplicationStatus | undefined,
  level: Refresh['level'],
  found: ApplicationCondition[] = [],
) {
  const report = new StatusReport(appWith(status), now);
  report.compared({ comparison: lookOf(found), refresh: refresh(level), summary: {}, warnings: [] });
  return report.next;
}

test('health of single resources is not stored, and the status says where it is (A-24)', () => {
  const { health: _health, ...bare } = row;
  expect(reported(undefined, 'tracked')).toMatchObject({
    resources: [bare],
    resourceHealthSource: 'appTree',
  });
});

test('the time of health changes only with its code, its message is always that of now (§1.10, H-12)', () => {
  const before = {
    status: 'Degraded' as const,
    message: 'Pod b',
    lastTransitionTime: '2025-01-01T00:00:00Z',
  };
  expect(reported({ health: before }, 'tracked').health).toEqual({ ...before, message: 'Deployment web' });
  const better = { ...before, status: 'Progressing' as const };
  expect(reported({ health: better }, 'tracked').health).toEqual({
    status: 'Degraded',
    message: 'Deployment web',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const report = new StatusReport(appWith({ health: before }), now);
  const compared = { comparison: lookOf(), refresh: refresh('tracked'), summary: {}, warnings: [] };
  report.compared({ ...compared, persistHealth: true });
  expect(report.next.health).toEqual({ ...before, message: 'Deployment web' });
});

test('unless the settings want it stored (A-24)', () => {
  const report = new StatusReport(appWith(), now);
  const compared = { comparison: lookOf(), refresh: refresh('tracked'), summary: {}, warnings: [] };
  report.compared({ ...compared, persistHealth: true });
  expect(report.next).toMatchObject({ resources: [row], resourceHealthSource: '' });
});

test('only a look at the tracked revision is a reconciliation, and the first of any depth (R-6)', () => {
  const before = { reconciledAt: '2025-01-01T00:00:00Z' };
  expect(reported(before, 'recorded').reconciledAt).toBe('2025-01-01T00:00:00Z');
  expect(reported(before, 'tracked').reconciledAt).toBe('2026-01-01T00:00:00Z');
  expect(reported({}, 'recorded').reconciledAt).toBe('2026-01-01T00:00:00Z');
});

test('the time of health changes only with its code (§1.10)', () => {
  const old = { status: 'Degraded' as const, message: 'x', lastTransitionTime: '2025-01-01T00:00:00Z' };
  expect(reported({ health: old }, 'tracked').health?.lastTransitionTime).toBe('2025-01-01T00:00:00Z');
  const other = { ...old, status: 'Healthy' as const };
  expect(reported({ health: other }, 'tracked').health?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
});

const warning: ApplicationCondition = { type: 'SharedResourceWarning', message: 'two owners' };

test('a clean comparison clears what comparisons find, and leaves the rest (A-26, §1.11)', () => {
  const old = '2025-01-01T00:00:00Z';
  const conditions = (
    ['ComparisonError', 'SharedResourceWarning', 'SyncError', 'DeletionError'] as const
  ).map((type) => ({ type, message: 'two owners', lastTransitionTime: old }));
  const types = (next: ApplicationStatus) => next.conditions?.map(({ type }) => type);
  expect(types(reported({ conditions }, 'tracked'))).toEqual(['DeletionError', 'SyncError']);
  const again = reported({ conditions }, 'tracked', [warning]);
  expect(types(again)).toEqual(['DeletionError', 'SharedResourceWarning', 'SyncError']);
  expect(again.conditions?.[1]?.lastTransitionTime).toBe(old);
});

test('a spec that cannot stand leaves nothing known, and its health no message (R-17, vector 2)', () => {
  const report = new StatusReport(
    appWith({ health: { status: 'Healthy', message: 'old' }, resources: [row] }),
    now,
  );
  report.invalid([{ type: 'InvalidSpecError', message: 'two destinations' }]);
  expect(report.next).toMatchObject({
    sync: { status: 'Unknown' },
    health: { status: 'Unknown', lastTransitionTime: '2026-01-01T00:00:00Z' },
    resources: [],
    conditions: [{ type: 'InvalidSpecError', message: 'two destinations' }],
  });
  expect(report.next.health?.message).toBeUndefined();
});

test('what cannot be rendered or read makes the sync status Unknown, at the revision last known (R-19)', () => {
  const before = { sync: { status: 'Synced' as const, revision: 'abc' } };
  const report = new StatusReport(appWith(before), now);
  report.failed(new FairleadError('RenderFailed', 'no kustomization file in a'));
  expect(report.next).toMatchObject({
    sync: { status: 'Unknown', revision: 'abc' },
    conditions: [{ type: 'ComparisonError', message: 'no kustomization file in a' }],
  });
  expect(report.next.resources).toBeUndefined();
  const invalid = new StatusReport(appWith(), now);
  invalid.failed(new FairleadError('InvalidSpec', 'no such path'));
  expect(invalid.next.conditions).toMatchObject([{ type: 'InvalidSpecError' }]);
});

test('what was known stays on show when nothing can be compared, and none of it is said to be in sync (§2.5)', () => {
  const { status: _status, ...bare } = row;
  const hook = { ...bare, name: 'migrate', hook: true };
  const report = new StatusReport(appWith({ resources: [row, hook] }), now);
  report.failed(new FairleadError('Unavailable', 'diff failure: cluster far cannot be read: no route'));
  expect(report.next.resources).toEqual([{ ...row, status: 'Unknown' }, hook]);
});

test('a condition is of the types people know, whatever went wrong (X-36)', () => {
  for (const code of ['PermissionDenied', 'NotFound', 'Unavailable', 'Auth'] as const) {
    const report = new StatusReport(appWith(), now);
    report.failed(new FairleadError(code, 'no'));
    expect(report.next.conditions?.map(({ type }) => type)).toEqual(['ComparisonError']);
  }
});

test('a SyncError comes and goes with the evaluation of automated sync (§1.11)', () => {
  const report = new StatusReport(appWith(), now);
  report.decided({ type: 'SyncError', message: 'tried before' });
  expect(report.next.conditions).toMatchObject([{ type: 'SyncError' }]);
  report.decided(undefined);
  expect(report.next.conditions).toEqual([]);
});

test('options nobody knows are told of, and stop nothing (S-51)', () => {
  const app = appWith();
  const odd = { ...app, spec: { ...app.spec, syncPolicy: { syncOptions: ['IgnoreMissingTemplate=true'] } } };
  const report = new StatusReport(odd, now);
  report.compared({ comparison: lookOf(), refresh: refresh('tracked'), summary: {}, warnings: [] });
  expect(report.next.conditions).toMatchObject([{ type: 'UnknownSyncOptionWarning' }]);
  expect(report.next.sync?.status).toBe('OutOfSync');
});

test('what is honoured and hardly meant is told as that, and a hundred of the kind are told shortly (X-9)', () => {
  const report = new StatusReport(appWith(undefined), now);
  const hints = Array.from({ length: 100 }, (_, i) => `rule ${i} covers everything`);
  const warnings = ['not supported yet: roles', 'the annotation opens no window'];
  report.compared({
    comparison: lookOf([], { objects: [unprobed] }),
    refresh: refresh('tracked'),
    summary: {},
    warnings,
  });
  expect(report.next.conditions?.map(({ type, message }) => `${type} ${message}`)).toEqual([
    expect.stringMatching(/^ConfigurationWarning Service shop: the startupProbe .* names no port/),
    'ConfigurationWarning the annotation opens no window',
    'NotSupportedWarning not supported yet: roles',
  ]);
  report.compared({
    comparison: lookOf([], { objects: [unprobed] }),
    ...{ refresh: refresh('tracked'), summary: {}, warnings: [], doctor: 'all' },
  });
  expect(report.next.conditions?.map(({ message }) => message).join('\n')).toContain('no digest');
  report.compared({
    comparison: lookOf([], { hints }),
    refresh: refresh('tracked'),
    summary: {},
    warnings: [],
  });
  const told = report.next.conditions ?? [];
  expect(told).toHaveLength(6);
  expect(told.map(({ message }) => message)).toContain('and 95 more of the kind');
});

test('what does not go is told while it is held, and no longer (S-37)', () => {
  const metadata = {
    name: 'a',
    deletionTimestamp: '2025-12-31T23:00:00Z',
    finalizers: ['example.com/guard'],
  };
  const look = lookOf();
  const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  const held = {
    ...look,
    comparison: { ...look.comparison, resources: [{ status: row, live }] },
  } as unknown as ApplicationComparison;
  const report = new StatusReport(appWith(), now);
  report.compared({ comparison: held, refresh: refresh('tracked'), summary: {}, warnings: [] });
  expect(report.next.conditions).toMatchObject([
    { type: 'DeletionError', message: expect.stringContaining('ConfigMap a since') },
  ]);
  expect(reported(report.next, 'recorded').conditions).toEqual([]);
});

test('attack 24: conditions hold no password of a repository URL and no secret Helm parameter, and keep their time', () => {
  const secretive = {
    repoURL: 'https://joe:marker-url@git.example/a',
    path: 'a',
    helm: { parameters: [{ name: 'db.password', value: 'marker-parameter' }] },
  };
  const app: Application = { ...appWith(), spec: { source: secretive, destination: {} } };
  const thrown = new FairleadError(
    'RenderFailed',
    `helm: --set db.password=marker-parameter of ${secretive.repoURL}: no`,
  );
  const first = new StatusReport(app, now);
  first.failed(thrown);
  expect(first.next.conditions?.map(({ message }) => message)).toEqual([
    'helm: --set db.password=++++++++ of https://joe:++++++++@git.example/a: no',
  ]);
  expect(first.next.sync?.comparedTo?.source).toEqual(secretive); // compared with the spec: a mask would be a change
  const second = new StatusReport({ ...app, status: first.next }, new Date('2026-01-01T00:03:00Z'));
  second.failed(thrown);
  expect(second.next.conditions).toEqual(first.next.conditions);
});
