import { expect, test } from 'vitest';
import type { Application, ApplicationStatus, ResourceResult } from '#base/model';
import type { SyncWindows } from '#serve/api';
import { applicationFacts, applicationTable, operationFacts, printAs, resourceRows } from './print.ts';
import { facts, table } from './table.ts';
import { policyInWords } from './words.ts';

const revision = '53e28ff20cc530b9ada2173fbbd64d48338583ba';
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'guestbook', namespace: 'argocd' },
  spec: {
    source: { repoURL: 'https://git.example.com/apps', path: 'guestbook' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'web' },
    syncPolicy: { automated: { prune: true } },
  },
  status: {
    sync: { status: 'Synced', revision },
    health: { status: 'Healthy' },
    resources: [{ group: 'apps', kind: 'Deployment', namespace: 'web', name: 'ui', status: 'Synced' }],
    conditions: [
      { type: 'SyncError', message: 'a' },
      { type: 'SyncError', message: 'b' },
    ],
    history: [{ id: 0, revision, deployedAt: '2026-01-02T03:04:05Z', source: { repoURL: 'x' } }],
    operationState: {
      operation: {},
      phase: 'Succeeded',
      startedAt: '2026-01-02T03:04:00Z',
      finishedAt: '2026-01-02T03:04:05Z',
      message: 'successfully synced (all tasks run)',
      syncResult: {
        revision,
        resources: [
          {
            group: 'apps',
            version: 'v1',
            kind: 'Deployment',
            namespace: 'web',
            name: 'ui',
            message: 'created',
          },
          {
            group: 'batch',
            version: 'v1',
            kind: 'Job',
            namespace: 'web',
            name: 'migrate',
            hookType: 'PreSync',
            hookPhase: 'Succeeded',
            message: 'done',
          },
        ],
      },
    },
  },
};

test('the list has the columns that scripts cut', () => {
  const [head, row] = applicationTable([app]).split('\n');
  expect(head).toBe(
    'NAME              CLUSTER                         NAMESPACE  PROJECT  STATUS  HEALTH   SYNCPOLICY  CONDITIONS    REPO                          PATH       TARGET',
  );
  expect(row?.split(/\s{2,}/)).toEqual([
    'argocd/guestbook',
    'https://kubernetes.default.svc',
    'web',
    'default',
    'Synced',
    'Healthy',
    'Auto-Prune',
    'SyncError(2)',
    'https://git.example.com/apps',
    'guestbook',
  ]);
});

test('one application is told in facts', () => {
  const text = applicationFacts(app, 'http://localhost:8080');
  expect(text).toContain('Name:               argocd/guestbook\n');
  expect(text).toContain('URL:                http://localhost:8080/applications/argocd/guestbook\n');
  expect(text).toContain('Sync Status:        Synced to HEAD (53e28ff)\n');
  expect(text).toContain('Health Status:      Healthy\n');
  expect(operationFacts(app)).toContain('Duration:           5s\n');
});

test('what a sync window holds says so, with every window that concerns it and what automation waits for', () => {
  const window = { kind: 'deny', schedule: '* * * * *', duration: '1h', manualSync: true };
  const assignedWindows = [window, { ...window, kind: 'allow', schedule: '0 9 * * *' }];
  const held = 'sync is blocked: deny window "* * * * *" for 1h is active; no opening is in sight';
  const told = (windows: SyncWindows, one = app): string => applicationFacts(one, 'http://x', windows);
  expect(told({ assignedWindows, canSync: false, held })).toContain(
    `SyncWindow:         Sync Denied
Assigned Windows:   deny:* * * * *:1h
                    allow:0 9 * * *:1h
Automated Sync:     ${held}
Sync Policy:        Automated (Prune)
`,
  );
  const byHand = { ...app, spec: { ...app.spec, syncPolicy: {} } };
  expect(told({ assignedWindows, canSync: true, held }, byHand)).toContain('Manual Allowed\nAssigned');
  expect(told({ assignedWindows, canSync: true, held }, byHand)).not.toContain('Automated Sync');
  expect(told({ canSync: true })).toContain('SyncWindow:         Sync Allowed\nSync Policy');
  expect(told({})).not.toContain('SyncWindow');
});

test('of several sources each is told with its revision', () => {
  const { repoURL } = { repoURL: 'https://git.example.com/apps' };
  const sources = [
    { repoURL, targetRevision: 'main', path: 'a' },
    { repoURL, chart: 'b', targetRevision: '1.x' },
  ];
  const revisions = [revision, '1.4.2'];
  const { source: _source, ...spec } = app.spec;
  const state = { operation: {}, phase: 'Succeeded' as const, startedAt: '', syncResult: { revisions } };
  const several: Application = {
    ...app,
    spec: { ...spec, sources },
    status: { sync: { status: 'OutOfSync', revisions }, operationState: state },
  };
  expect(applicationFacts(several, 'http://x')).toContain(
    'Sync Status:        OutOfSync from main (53e28ff), 1.x (1.4.2)\n',
  );
  expect(operationFacts(several)).toContain(`Sync Revision:      ${revision}, 1.4.2\n`);
});

test('resources carry the words of the last sync, and its hooks follow', () => {
  const tree = {
    nodes: [
      {
        group: 'apps',
        kind: 'Deployment',
        namespace: 'web',
        name: 'ui',
        health: { status: 'Healthy' as const },
      },
    ],
  };
  expect(resourceRows(app, tree)).toEqual([
    ['apps', 'Deployment', 'web', 'ui', 'Synced', 'Healthy', '', 'created'],
    ['batch', 'Job', 'web', 'migrate', 'Succeeded', '', 'PreSync', 'done'],
  ]);
});

test('what Git no longer declares says so, unless the last sync did', () => {
  const old = { kind: 'ConfigMap', namespace: 'web', name: 'old', status: 'OutOfSync' as const };
  const result = { ...old, group: '', version: 'v1', status: 'Synced' as const, message: 'created' };
  const rowOf = (one: ResourceResult) =>
    resourceRows({
      ...app,
      status: {
        resources: [{ ...old, requiresPruning: true }],
        operationState: {
          operation: {},
          phase: 'Succeeded',
          startedAt: '2026-01-02T03:04:05Z',
          syncResult: { resources: [one] },
        },
      },
    })[0]?.[7];
  expect(rowOf(result)).toBe('no longer in Git; a sync with --prune deletes it');
  expect(rowOf({ ...result, status: 'PruneSkipped', message: 'kept (no prune)' })).toBe('kept (no prune)');
});

test('other formats print the object, and an unknown one says which exist', () => {
  expect(JSON.parse(printAs('json', app)).metadata.name).toBe('guestbook');
  expect(printAs('yaml', { a: 'yes' })).toBe('a: "yes"\n');
  expect(() => printAs('xml', app)).toThrow('unknown output format xml: use json, yaml or what --help lists');
});

test('policies, tables and facts read well', () => {
  expect(policyInWords({ ...app, spec: { ...app.spec, syncPolicy: {} } })).toBe('Manual');
  expect(table(['A', 'B'], [['long', 'x']])).toBe('A     B\nlong  x\n');
  expect(facts([['A', undefined]])).toBe('');
});

test('a resource shows its health as it is now, not what the last sync said of it', () => {
  const health = {
    status: 'Progressing' as const,
    message: 'CrashLoopBackOff: container ui exited with code 1',
  };
  const node = { group: 'apps', kind: 'Deployment', namespace: 'web', name: 'ui', health };
  expect(resourceRows(app, { nodes: [node] })[0]?.at(-1)).toBe(health.message);
});

test.each<[string, ApplicationStatus, string]>([
  [
    'what keeps it from being compared',
    { conditions: [{ type: 'ComparisonError', message: 'render failure: no\n  value' }] },
    'Problem:            render failure: no value',
  ],
  [
    'a failed operation',
    { operationState: { operation: {}, phase: 'Failed', startedAt: '', message: 'the dry run failed' } },
    'Problem:            the dry run failed',
  ],
  [
    'the wait of a sync',
    { operationState: { operation: {}, phase: 'Running', startedAt: '', message: 'waiting for Job a/b' } },
    'Waiting:            waiting for Job a/b',
  ],
  [
    'health',
    { health: { status: 'Degraded', message: 'Deployment ui (OOMKilled)' } },
    'Problem:            Degraded: Deployment ui (OOMKilled)',
  ],
  [
    'nothing where nothing is wrong',
    { health: { status: 'Healthy' } },
    'Name:               argocd/guestbook',
  ],
])('app get begins with %s', (_what, status, line) => {
  expect(applicationFacts({ ...app, status }, 'http://x').split('\n')[0]).toBe(line);
});
