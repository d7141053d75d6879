import { describe, expect, test } from 'vitest';
import {
  type Application,
  type HealthCode,
  keyFrom,
  type ResourceResult,
  type ResourceStatus,
} from '#base/model';
import type { ResourceNode, ResourceTree } from '#serve/api';
import type { Change, FieldChange } from './changes.ts';
import { openingSentence, type Story } from './opening-sentence.ts';
import { forestOf } from './resource-forest.ts';
import {
  sampleApplication,
  commit as sampleCommit,
  sampleOperation,
  sampleRun,
} from './sample-application.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const commit = { author: 'Ada <ada@example.com>', message: 'raise pool size\n\nlonger words' };
const words = (app: Application, { tree: live, ...rest }: Partial<Story> & { tree?: ResourceTree } = {}) =>
  textOf(openingSentence({ app, items: forestOf(app, live), now, zone: 'UTC', commit, ...rest }));

const api: ResourceStatus = { group: 'apps', kind: 'Deployment', namespace: 'payments', name: 'api' };
const pod = (name: string, status: HealthCode, reason?: string): ResourceNode => ({
  kind: 'Pod',
  namespace: 'payments',
  name,
  health: { status },
  parentRefs: [{ group: 'apps', kind: 'Deployment', namespace: 'payments', name: 'api' }],
  ...(reason && { info: [{ name: 'Status Reason', value: reason }] }),
});
const tree = (status: HealthCode, ...pods: ResourceNode[]): ResourceTree => ({
  nodes: [{ ...api, health: { status } }, ...pods],
});
const degraded = { status: 'Degraded', lastTransitionTime: '2026-03-18T14:02:00Z' } as const;

describe('trouble', () => {
  test('names the workload, its pods, the reason, the time, the commit and the sync', () => {
    const app = sampleApplication({
      health: degraded,
      resources: [{ ...api, health: { status: 'Degraded' } }],
    });
    const pods = [pod('a', 'Healthy'), pod('b', 'Degraded', 'CrashLoopBackOff'), pod('c', 'Progressing')];
    const causeSince = { at: Date.parse('2026-03-18T14:05:00Z'), isLeast: false };
    expect(words(app, { tree: tree('Degraded', ...pods), causeSince })).toBe(
      'payments-api is Degraded: Deployment api has 1 of 3 pods ready (CrashLoopBackOff) since 14:05, ' +
        'after commit 3f9c2e1 ‘raise pool size’ by the auto-sync of 14:01.',
    );
    const restarts = { ...causeSince, isLeast: true };
    expect(words(app, { tree: tree('Degraded', ...pods), causeSince: restarts })).toContain(
      'pods ready (CrashLoopBackOff) since at least 14:05, after',
    );
  });

  test('claims of a resource no time that only the application has', () => {
    expect(words(sampleApplication({ health: degraded }), { tree: tree('Degraded') })).toBe(
      'payments-api is Degraded since 14:02: because of Deployment api, ' +
        'after commit 3f9c2e1 ‘raise pool size’ by the auto-sync of 14:01.',
    );
  });

  test('names the Secret that the pods lack', () => {
    const lack = 'CreateContainerConfigError: secret "keys" not found';
    const health = { status: 'Degraded', message: `${lack} (pod b); 0 of 1` } as const;
    const nodes = [{ ...api, health }, pod('b', 'Degraded', 'CreateContainerConfigError')];
    expect(words(sampleApplication({ health: degraded }), { tree: { nodes } })).toContain(
      `is Degraded since 14:02: Deployment api has 0 of 1 pods ready (${lack}), after`,
    );
  });

  test('without pods, quotes the resource', () => {
    const health = { status: 'Degraded', message: 'Revision hello-00002 failed: container exited.' } as const;
    const resources: ResourceStatus[] = [
      { group: 'serving.knative.dev', kind: 'Service', name: 'hello', health },
      { kind: 'Service', name: 'web', health: { status: 'Degraded' } },
    ];
    expect(words(sampleApplication({ health: degraded, resources }))).toBe(
      'payments-api is Degraded since 14:02: Service hello says “Revision hello-00002 failed: container exited”, ' +
        'and 1 more with it, after commit 3f9c2e1 ‘raise pool size’ by the auto-sync of 14:01.',
    );
  });

  test('says in words what a Rollout waits for', () => {
    const health = { status: 'Suspended', message: 'CanaryPauseStep' } as const;
    const resources: ResourceStatus[] = [{ group: 'argoproj.io', kind: 'Rollout', name: 'web', health }];
    expect(words(sampleApplication({ health: { ...degraded, status: 'Suspended' }, resources }))).toMatch(
      /^payments-api is Suspended since 14:02: Rollout web is paused at a step of its canary, after/,
    );
  });

  test('does not blame a sync of long ago', () => {
    const app = sampleApplication({
      health: { ...degraded, lastTransitionTime: '2026-03-18T14:20:00Z' },
      operationState: sampleOperation({ startedAt: '2026-03-15T09:00:00Z' }),
    });
    expect(words(app)).toBe(
      'payments-api is Degraded since 14:20; the last sync was the auto-sync of Sun 09:00 to commit 3f9c2e1 ‘raise pool size’.',
    );
  });

  test('says that the last sync failed, and why', () => {
    const app = sampleApplication({
      sync: { status: 'OutOfSync', revision: '1.4.2' },
      health: degraded,
      operationState: sampleOperation({ phase: 'Failed', message: 'one or more objects failed to apply' }),
    });
    expect(words(app, { commit: undefined })).toBe(
      'payments-api is Degraded and OutOfSync since 14:02; the auto-sync of 14:01 to commit 3f9c2e1 failed: ' +
        '“one or more objects failed to apply”.',
    );
  });

  test('of a resource that is gone says so', () => {
    const app = sampleApplication({
      health: { status: 'Missing' },
      sync: { status: 'OutOfSync' },
      resources: [{ ...api, health: { status: 'Missing' } }],
    });
    expect(words(app)).toBe(
      'payments-api is Missing and OutOfSync: Deployment api does not exist in the cluster.',
    );
  });

  test('of an application that was never synced says just that', () => {
    const { operationState: _, ...status } = sampleApplication().status ?? {};
    const app = { ...sampleApplication(), status: { ...status, health: { status: 'Missing' as const } } };
    expect(words(app)).toBe('payments-api is Missing: nothing of it has been synced yet.');
  });

  test('of an application without a cause still names the state', () => {
    expect(
      words(sampleApplication({ health: { status: 'Unknown', message: 'the cluster does not answer' } })),
    ).toBe('payments-api is Unknown: “the cluster does not answer”.');
  });

  test('that keeps Git from being read comes first', () => {
    const app = sampleApplication({
      conditions: [
        {
          type: 'ComparisonError',
          message: 'no kustomization file in overlays/prod\nstack',
          lastTransitionTime: '2026-03-17T08:15:00Z',
        },
      ],
    });
    expect(words(app)).toBe(
      'payments-api cannot be compared with Git: “no kustomization file in overlays/prod” since Tue 08:15.',
    );
  });

  test('that keeps Git from being rendered names the newest commit and the last one synced, and blames neither', () => {
    const conditions = [{ type: 'ComparisonError' as const, message: 'x.yaml does not exist' }];
    const newest = { author: 'Ada <ada@example.com>', message: 'drop x\n\nfor good' };
    expect(words(sampleApplication({ conditions }), { newest })).toBe(
      'payments-api cannot be compared with Git: “x.yaml does not exist”; it is rendered from the newest commit, ' +
        '‘drop x’ by Ada, which need not be the one at fault; the last one synced is commit 3f9c2e1 ‘raise pool size’.',
    );
    const { operationState: _, ...unsynced } = sampleApplication({ conditions }).status ?? {};
    expect(words({ ...sampleApplication(), status: unsynced }, { newest })).toMatch(/one at fault\.$/);
  });

  test('in the spec is told apart from trouble in Git', () => {
    const conditions = [{ type: 'InvalidSpecError' as const, message: 'project shop does not exist' }];
    expect(words(sampleApplication({ conditions }))).toBe(
      'payments-api has a spec that cannot be used: “project shop does not exist”.',
    );
  });
});

describe('rest', () => {
  test('says what runs and since when', () => {
    expect(words(sampleApplication())).toBe(
      'payments-api is Healthy and Synced: it runs commit 3f9c2e1 ‘raise pool size’ since the auto-sync of 14:01.',
    );
  });

  test('names the person who synced', () => {
    const operation = { initiatedBy: { username: 'ada' } };
    expect(words(sampleApplication({ operationState: sampleOperation({ operation }) }))).toContain(
      'since ada’s sync of 14:01.',
    );
  });

  test('a chart has a version, not a commit', () => {
    const [sync, operationState] = [
      { status: 'Synced' as const, revision: '15.2.0' },
      sampleOperation({ syncResult: { revision: '15.2.0' } }),
    ];
    expect(words(sampleApplication({ sync, operationState }), { commit: undefined })).toContain(
      'it runs version 15.2.0 since',
    );
  });

  test('without a commit message the sentence is shorter, not wrong', () => {
    expect(words(sampleApplication(), { commit: undefined })).toContain('it runs commit 3f9c2e1 since');
  });

  test('a new application says that it is new', () => {
    expect(words({ ...sampleApplication(), status: {} })).toBe(
      'payments-api is new: it has not been compared with Git yet.',
    );
  });
});

describe('drift', () => {
  const status = 'OutOfSync' as const;
  test('names what differs and that nobody will undo it', () => {
    const app = sampleApplication({
      sync: { status, revision: '3f9c2e1d5b7a8c9e0f1a2b3c4d5e6f7a8b9c0d1e' },
      resources: [
        { ...api, status },
        { kind: 'ConfigMap', name: 'web', status },
        { kind: 'Job', name: 'hook', status, hook: true },
      ],
    });
    expect(words(app)).toBe(
      'payments-api is Healthy but OutOfSync: Deployment api and 1 more differ from commit 3f9c2e1 ' +
        '‘raise pool size’, and auto-sync is off.',
    );
  });

  test('of one resource is singular, and silent about auto-sync when it is on', () => {
    const app = sampleApplication(
      { sync: { status }, resources: [{ ...api, status }] },
      {
        syncPolicy: { automated: {} },
      },
    );
    expect(words(app)).toBe('payments-api is Healthy but OutOfSync: Deployment api differs from Git.');
  });

  const old = { kind: 'ConfigMap', namespace: 'payments', name: 'old', status, requiresPruning: true };
  const kept: ResourceResult = {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    namespace: 'payments',
    name: 'old',
    status: 'PruneSkipped',
    message: 'left in place (no prune): the option Prune=false protects it',
  };

  test('is not what is no longer in Git', () => {
    const resources = [{ ...api, status }, old];
    expect(words(sampleApplication({ sync: { status }, resources }))).toBe(
      'payments-api is Healthy but OutOfSync: Deployment api differs from Git, and ConfigMap old is no longer in Git, and auto-sync is off.',
    );
    const automated = sampleApplication(
      { sync: { status }, resources: [old] },
      { syncPolicy: { automated: {} } },
    );
    expect(words(automated)).toBe(
      'payments-api is Healthy but OutOfSync: ConfigMap old is no longer in Git, and auto-sync does not prune.',
    );
  });

  test('is not what is kept by Prune=false, said by the application or known from its last sync', () => {
    const resources = [old];
    const kept1 = sampleApplication(
      { sync: { status }, resources },
      { syncPolicy: { syncOptions: ['Prune=false'] } },
    );
    const told =
      'payments-api is Healthy but OutOfSync: ConfigMap old is kept, no longer in Git (Prune=false)';
    expect(words(kept1)).toBe(`${told}.`);
    const operationState = sampleOperation({ syncResult: { resources: [kept] } });
    expect(words(sampleApplication({ sync: { status }, resources, operationState }))).toContain(told);
  });

  test('by another writer names the field, the writer and the time', () => {
    const app = sampleApplication({
      sync: { status: 'OutOfSync', revision: sampleCommit },
      resources: [{ ...api, status: 'OutOfSync' }],
    });
    const field = { path: 'spec.replicas', target: '2', live: '5', writer: 'queue-scaler' };
    const writtenAt = Date.parse('2026-03-18T14:20:00Z');
    const change = (one: FieldChange): Change => ({
      key: keyFrom({ group: 'apps', kind: 'Deployment', namespace: 'payments', name: 'api' }),
      ...{ group: 'apps', kind: 'Deployment', namespace: 'payments', name: 'api' },
      ...{ deed: 'change', fields: [one], isMasked: false, before: '', after: '' },
    });
    expect(words(app, { changes: [change({ ...field, writtenAt })] })).toBe(
      'payments-api is Healthy but OutOfSync: Deployment api differs from commit 3f9c2e1 ‘raise pool size’ in spec.replicas, ' +
        'which queue-scaler set to 5 at 14:20, and auto-sync is off.',
    );
    const long = change({ ...field, live: 'x'.repeat(50) });
    expect(words(app, { changes: [long] })).toContain('which queue-scaler set to another value, and');
    const ours = change({ ...field, writer: 'argocd-controller' });
    expect(words(app, { changes: [ours] })).toContain('‘raise pool size’, and auto-sync is off');
  });

  test('leads to the difference', () => {
    const app = sampleApplication({ sync: { status }, resources: [{ ...api, status }] });
    const spans = openingSentence({ app, items: forestOf(app, undefined), now });
    expect(spans.find(({ text }) => text === 'Deployment api')?.target).toEqual({
      to: 'resource',
      key: 'apps/Deployment/payments/api',
      view: 'changes',
    });
  });
});

describe('an operation', () => {
  const resources: ResourceStatus[] = [
    api,
    { kind: 'Service', namespace: 'payments', name: 'web', syncWave: 1 },
  ];
  const result = { version: 'v1', namespace: 'payments', status: 'Synced', syncPhase: 'Sync' } as const;
  const applied = {
    ...result,
    group: 'apps',
    kind: 'Deployment',
    name: 'api',
    hookPhase: 'Running',
  } as const;

  test('that runs says what it waits for', () => {
    const run = sampleRun({
      syncResult: {
        revision: '3f9c2e1d5b7a8c9e0f1a2b3c4d5e6f7a8b9c0d1e',
        resources: [{ ...applied, message: '1 of 3 updated' }],
      },
    });
    expect(words(sampleApplication({ operationState: run, resources }))).toBe(
      'payments-api is syncing to commit 3f9c2e1 ‘raise pool size’: wave 0 waits for Deployment api, ' +
        'which says “1 of 3 updated”; auto-sync started it at 14:01.',
    );
  });

  test('that has just begun waits for nothing', () => {
    const run = sampleRun({ syncResult: {}, retryCount: 2, operation: { initiatedBy: { username: 'ada' } } });
    expect(words(sampleApplication({ operationState: run }), { commit: undefined })).toBe(
      'payments-api is syncing to commit 3f9c2e1; ada started it at 14:01, and this is attempt 3.',
    );
  });

  test('that is being stopped says so', () => {
    const run = sampleRun({ phase: 'Terminating' });
    expect(words(sampleApplication({ operationState: run }))).toContain(
      'payments-api is stopping its sync to commit',
    );
  });
});

test.each([
  [2, '2 resources of it are left.'],
  [1, '1 resource of it is left.'],
  [0, 'nothing of it is left.'],
])('an application being deleted counts what is left: %i', (left, ending) => {
  const app = sampleApplication({ resources: Array.from({ length: left }, () => api) });
  app.metadata.deletionTimestamp = '2026-03-18T14:10:00Z';
  expect(words(app)).toBe(`payments-api is being deleted since 14:10: ${ending}`);
});

test('an application that cannot be deleted says what holds it', () => {
  const message = 'deletion is held up: ConfigMap payments/a since 14:11 by example.com/guard';
  const app = sampleApplication({ resources: [api], conditions: [{ type: 'DeletionError', message }] });
  app.metadata.deletionTimestamp = '2026-03-18T14:10:00Z';
  expect(words(app)).toBe(
    `payments-api is being deleted since 14:10: 1 resource of it is left; “${message}”.`,
  );
});

test('every state and every resource named is a link', () => {
  const app = sampleApplication({
    health: degraded,
    resources: [{ ...api, health: { status: 'Degraded' } }],
  });
  const spans = openingSentence({
    app,
    now,
    items: forestOf(app, tree('Degraded', pod('a', 'Degraded'))),
  });
  const links = spans.flatMap(({ text, target }) => (target ? [text] : []));
  expect(links).toEqual([
    'payments-api',
    'Degraded',
    'Deployment api',
    '3f9c2e1',
    expect.stringContaining('the auto-sync of'),
  ]);
});

test('a long message is cut, and only its first line is said', () => {
  const message = `${'x'.repeat(400)}\nmore`;
  const text = words(sampleApplication({ health: { status: 'Degraded', message } }));
  expect(text.length).toBeLessThan(300);
  expect(text).toContain('…”');
});
