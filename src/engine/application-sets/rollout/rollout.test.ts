import { expect, test } from 'vitest';
import { type Application, defaultSettings, printTime } from '#base/model';
import { hasRollout, rolloutPass, setDeletionStep, wantsSetFinalizer, withoutAutomation } from '#engine';
import { application, at, byEnv, setOf } from '../../../../test/rollout-objects.ts';
import { rolloutProblem, stepOf, updateBudget } from './steps.ts';

const settings = { ...defaultSettings.applicationSet, progressiveSyncs: true };
const state = (sync: string, health: string, more: object = {}) => ({
  sync: { status: sync, revision: 'r1' },
  health: { status: health },
  ...more,
});
const entry = (application: string, status: string, more: object = {}) =>
  ({
    application,
    status,
    step: '1',
    targetRevisions: ['r1'],
    lastTransitionTime: printTime(at(1)),
    ...more,
  }) as any;

const synced = state('Synced', 'Healthy');
const waits = state('OutOfSync', 'Healthy');
const since = (minute: number) => ({
  reconciledAt: printTime(at(minute)),
  operationState: { phase: 'Running', operation: {}, startedAt: printTime(at(minute)) },
});

test.each([
  ['first seen', undefined, waits, false, 'Pending'],
  ['first seen, already in order', undefined, synced, false, 'Healthy'],
  ['waiting and synced', entry('a', 'Waiting'), state('Synced', 'Progressing'), false, 'Progressing'],
  ['waiting and healthy', entry('a', 'Waiting'), synced, false, 'Healthy'],
  ['healthy, another revision', entry('a', 'Healthy', { targetRevisions: ['r0'] }), synced, false, 'Pending'],
  ['healthy, another spec', entry('a', 'Healthy'), synced, true, 'Pending'],
  ['healthy, not comparable', entry('a', 'Healthy'), waits, undefined, 'Healthy'],
  ['pending, seen before', entry('a', 'Pending'), { ...waits, ...since(0) }, false, 'Pending'],
  ['pending, sync began', entry('a', 'Pending'), { ...waits, ...since(2) }, false, 'Progressing'],
  ['pending, all done', entry('a', 'Pending'), { ...synced, ...since(2) }, false, 'Healthy'],
  [
    'pending, cannot sync',
    entry('a', 'Pending'),
    { ...waits, reconciledAt: printTime(at(2)), conditions: [{ type: 'InvalidSpecError', message: 'x' }] },
    false,
    'Progressing',
  ],
  ['progressing, degraded', entry('a', 'Progressing'), state('Synced', 'Degraded'), false, 'Progressing'],
  ['progressing, out of sync', entry('a', 'Progressing'), waits, false, 'Progressing'],
  ['progressing, done', entry('a', 'Progressing'), synced, false, 'Healthy'],
])('%s (sources 5.6.3)', (...[, before, status, isChanged, expected]) => {
  const set = { ...setOf([byEnv('dev')]), status: { applicationStatus: before ? [before] : [] } };
  const app = application('a', 'dev', { status });
  const pass = rolloutPass({ set, generated: [app], owned: [app], isChanged: () => isChanged, now: at(3) });
  expect(pass.applicationStatus).toMatchObject([{ application: 'a', status: expected, step: '1' }]);
  expect(pass.operations.has('a')).toBe(expected === 'Pending');
  if (before?.status === expected) expect(pass.applicationStatus[0]).toBe(before);
});

test.each([
  [undefined, 10, Number.POSITIVE_INFINITY],
  [3, 10, 3],
  [0, 10, 0],
  ['25%', 10, 2],
  ['1%', 10, 1],
  ['0%', 10, 0],
  ['100%', 7, 7],
  ['many', 10, 1],
  ['5', 10, 1],
])('maxUpdate %s of %s applications allows %s at once (sources ASY-7)', (maxUpdate, total, expected) => {
  expect(updateBudget(maxUpdate === undefined ? {} : { maxUpdate }, total)).toBe(expected);
});

test.each([
  [{ operator: 'In', values: ['dev'] }, [true, false, false]],
  [{ operator: 'NotIn', values: ['dev'] }, [false, true, true]],
  [{ operator: 'Exists' }, [false, false, true]],
  [undefined, [true, true, true]],
])('the expression %j selects %j of dev, prod and no label (sources ASY-3)', (expression, expected) => {
  const step = { matchExpressions: expression ? [{ key: 'env', ...expression } as any] : [] };
  const found = ['dev', 'prod', ''].map((env) => stepOf(application('a', env), [step]) === 1);
  expect(found).toEqual(expected);
});

test('one class of problems is reported, the gravest first (sources ASY-10)', () => {
  const apps = [application('a', 'dev')];
  const steps = [byEnv('dev'), byEnv('none')];
  expect(rolloutProblem([byEnv('dev')], apps)).toBeUndefined();
  expect(rolloutProblem(steps, apps)).toBe('steps select no application: 2');
  expect(rolloutProblem([byEnv('dev', 'x'), byEnv('none')], apps)).toContain('step 1 has "x"');
  expect(rolloutProblem([byEnv('dev', 'x'), {}], apps)).toContain('a in steps 1 and 2');
  const odd = { matchExpressions: [{ key: 'env', operator: 'Exists' as const }] };
  expect(rolloutProblem([odd, byEnv('dev', 'x'), {}], apps)).toContain('step 1 has Exists');
});

test('the next step waits until every application before it exists and is healthy (sources ASY-6)', () => {
  const set = setOf([byEnv('dev'), byEnv('prod')]);
  const [a, b, p] = [
    application('a', 'dev', { status: synced }),
    application('b', 'dev', { status: synced }),
    application('p', 'prod', { status: waits }),
  ];
  const input = { set, generated: [a, b, p], isChanged: () => false, now: at(1) };
  const missing = rolloutPass({ ...input, owned: [a, p] });
  expect(missing.operations.size).toBe(0);
  expect(missing.steps[0]?.waitsFor).toEqual(['b does not exist yet']);
  expect(missing.conditions[0]).toMatchObject({
    status: 'True',
    message: 'ApplicationSet is performing rollout of step 1',
  });
  const complete = rolloutPass({ ...input, owned: [a, b, p] });
  expect([...complete.operations.keys()]).toEqual(['p']);
});

test('the sync that a rollout starts carries the policy of the template (sources ASY-2, ASY-9)', () => {
  const spec = { syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] } };
  const target = application('a', 'dev', { spec });
  const live = application('a', 'dev', { status: waits });
  const set = setOf([byEnv('dev')]);
  const input = { set, generated: [target], isChanged: () => true, now: at(1) };
  expect(rolloutPass({ ...input, owned: [live] }).operations.get('a')).toEqual({
    sync: { prune: true, syncOptions: ['CreateNamespace=true'] },
    initiatedBy: { username: 'applicationset-controller', automated: true },
    info: [
      { name: 'Reason', value: 'ApplicationSet RollingSync triggered a sync of this Application resource' },
    ],
    retry: { limit: 5 },
  });
  const busy = { ...live, operation: {} };
  expect(rolloutPass({ ...input, owned: [busy] }).operations.size).toBe(0);
  expect(withoutAutomation(target).spec.syncPolicy?.automated).toEqual({ prune: true, enabled: false });
  expect(withoutAutomation(target)).toBe(withoutAutomation(target));
  expect(withoutAutomation(live)).toBe(live);
});

test('an application in no step is named, counts nowhere and is not synced (DEV-25)', () => {
  const apps = ['a', 'b', 'c'].map((name) => application(name, 'dev', { status: waits }));
  const outside = application('x', '', { status: waits });
  const pass = rolloutPass({
    set: setOf([byEnv('dev', '50%')]),
    generated: [...apps, outside],
    owned: [...apps, outside],
    isChanged: () => false,
    now: at(1),
  });
  expect([...pass.operations.keys()]).toEqual(['a']);
  expect(pass.applicationStatus.at(-1)).toMatchObject({ application: 'x', status: 'Waiting', step: '-1' });
  expect(pass.warnings).toEqual([expect.stringContaining('no step of the rollout selects x')]);
});

test.each([
  [{}, true, true],
  [{ type: 'rollingsync' }, true, false],
  [{ type: 'AllAtOnce' }, true, false],
  [{}, false, false],
])('strategy %j with the flag %s is a rollout: %s (sources ASY-1)', (more, progressiveSyncs, expected) => {
  expect(hasRollout(setOf([byEnv('dev')], more), { ...settings, progressiveSyncs })).toBe(expected);
});

test('a set is deleted step by step from the last, one application at a time (sources ASY-11)', () => {
  const set = setOf([byEnv('dev'), byEnv('prod')], { deletionOrder: 'reverse' });
  const dev = application('d', 'dev');
  const [p1, p2, none] = [application('p1', 'prod'), application('p2', 'prod'), application('z', '')];
  const ending = (app: Application): Application => ({
    ...app,
    metadata: { ...app.metadata, deletionTimestamp: printTime(at(0)) },
  });
  const step = (live: readonly Application[], minute = 1) =>
    setDeletionStep(set, { live, settings, now: at(minute) });
  expect(wantsSetFinalizer(set, settings)).toBe(true);
  expect(step([dev, p2, p1, none])).toEqual({ do: 'delete', application: p1 });
  expect(step([dev, p2, ending(p1)])).toMatchObject({ do: 'wait', ms: 10_000 });
  expect(step([dev, p2, ending(p1)], 3)).toMatchObject({
    do: 'verify',
    message: expect.stringContaining('p1'),
  });
  expect(step([dev, p2])).toEqual({ do: 'delete', application: p2 });
  expect(step([dev])).toEqual({ do: 'delete', application: dev });
  expect(step([none])).toEqual({ do: 'remove finalizer' });
});

test('a policy that forbids deletion releases the applications before the set ends (sources ASA-10, DEV-24)', () => {
  const set = setOf([]);
  const kept = { ...settings, policy: 'create-update' as const, policyOverride: false };
  const app = application('a', 'dev');
  const step = (live: readonly Application[]) => setDeletionStep(set, { live, settings: kept, now: at(0) });
  expect(wantsSetFinalizer(set, kept)).toBe(true);
  expect(wantsSetFinalizer(set, settings)).toBe(false);
  expect(step([app])).toEqual({ do: 'release', applications: [app] });
  expect(step([])).toEqual({ do: 'remove finalizer' });
  const bare = { ...set, metadata: { ...set.metadata, finalizers: [] } };
  expect(setDeletionStep(bare, { live: [app], settings, now: at(0) })).toEqual({ do: 'nothing' });
});
