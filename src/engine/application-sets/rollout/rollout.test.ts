import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Application,
  type ApplicationSet,
  defaultSettings,
  printTime,
  type RolloutStep,
  readApplication,
  readApplicationSet,
} from '#base/model';
import { hasRollout, rolloutPass, setDeletionStep, wantsSetFinalizer, withoutAutomation } from '#engine';
import { rolloutProblem, stepOf, updateBudget } from './steps.ts';

const settings = { ...defaultSettings.applicationSet, progressiveSyncs: true };
const byEnv = (env: string, maxUpdate?: number | string): RolloutStep => ({
  matchExpressions: [{ key: 'env', operator: 'In', values: [env] }],
  ...(maxUpdate === undefined ? {} : { maxUpdate }),
});

const setOf = (steps: readonly RolloutStep[], more: object = {}): ApplicationSet =>
  readApplicationSet({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: {
      name: 'set',
      namespace: 'argocd',
      uid: 'u1',
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    },
    spec: {
      generators: [],
      template: {},
      strategy: { type: 'RollingSync', rollingSync: { steps }, ...more },
    },
  });

const owner = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: 'set',
  uid: 'u1',
  controller: true,
};

function application(name: string, env: string, more: any = {}): Application {
  return readApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      ownerReferences: [owner],
      ...(env ? { labels: { env } } : {}),
      ...more.metadata,
    },
    spec: { destination: {}, ...more.spec },
    ...(more.status ? { status: more.status } : {}),
  } as any);
}

const state = (sync: string, health: string, more: object = {}) => ({
  sync: { status: sync, revision: 'r1' },
  health: { status: health },
  ...more,
});
const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
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

// --- a model of the applications: what happens to them between passes ---

type FleetEvent =
  | { do: 'pass' | 'mend' }
  | { do: 'finish'; at: number; health: string }
  | { do: 'commit'; revision: string };
type Simulated = {
  env: string;
  revision: string;
  target: string;
  health: string;
  busy: boolean;
  startedAt?: string;
};
const envs = ['dev', 'staging', 'prod'];

/** The applications of a fleet that syncs as it is ordered to, in the order that the events give. */
class Fleet {
  readonly apps = new Map<string, Simulated>();
  set: ApplicationSet;
  minute = 0;

  constructor(members: readonly string[], budgets: readonly (number | string | undefined)[]) {
    for (const [i, env] of members.entries()) {
      this.apps.set(`app-${i}`, { env, revision: 'r0', target: 'r1', health: 'Healthy', busy: false });
    }
    this.set = setOf(envs.map((env, i) => byEnv(env, budgets[i])));
  }

  live(): Application[] {
    return [...this.apps].map(([name, { env, revision, target, health, busy, startedAt }]) => ({
      ...application(name, env, {
        status: {
          sync: { status: revision === target ? 'Synced' : 'OutOfSync', revision: target },
          health: { status: health },
          reconciledAt: printTime(at(this.minute)),
          ...(startedAt ? { operationState: { phase: 'Running', operation: {}, startedAt } } : {}),
        },
      }),
      ...(busy ? { operation: { sync: {} } } : {}),
    }));
  }

  pass() {
    this.minute += 1;
    const live = this.live();
    const input = {
      set: this.set,
      generated: live,
      owned: live,
      isChanged: () => false,
      now: at(this.minute),
    };
    const pass = rolloutPass(input);
    expect(rolloutPass(input)).toEqual(pass);
    this.check(pass);
    this.set = { ...this.set, status: { applicationStatus: pass.applicationStatus } };
    for (const name of pass.operations.keys()) {
      const app = this.apps.get(name);
      if (app) Object.assign(app, { busy: true, startedAt: printTime(at(this.minute)) });
    }
    return pass;
  }

  check({ applicationStatus, operations, steps }: ReturnType<typeof rolloutPass>) {
    const statusOf = new Map(applicationStatus.map((one) => [one.application, one.status]));
    const isHealthy = (env: string): boolean =>
      [...this.apps].every(([name, app]) => app.env !== env || statusOf.get(name) === 'Healthy');
    for (const name of operations.keys()) {
      const env = this.apps.get(name)?.env ?? '';
      expect(statusOf.get(name)).toBe('Pending');
      expect(envs.slice(0, envs.indexOf(env)).every(isHealthy)).toBe(true);
    }
    for (const [i, env] of envs.entries()) {
      const busy = [...this.apps].filter(
        ([name, app]) => app.env === env && ['Pending', 'Progressing'].includes(statusOf.get(name) ?? ''),
      );
      // applications that a person synced progress too, whatever the budget
      const ordered = busy.filter(([name, app]) => app.startedAt !== undefined || operations.has(name));
      expect(ordered.length).toBeLessThanOrEqual(steps[i]?.maxUpdate ?? 0);
    }
  }

  apply(one: FleetEvent) {
    if (one.do === 'pass') this.pass();
    else if (one.do === 'finish') this.finish(one.at, one.health);
    else if (one.do === 'commit') this.commit(one.revision);
    else this.mend();
  }

  /** An event: the sync of one application ends, in order or degraded. */
  finish(at: number, health: string) {
    const busy = [...this.apps.values()].filter((app) => app.busy);
    const app = busy[at % Math.max(1, busy.length)];
    if (app) Object.assign(app, { busy: false, revision: app.target, health });
  }

  commit(revision: string) {
    for (const app of this.apps.values()) Object.assign(app, { target: revision });
  }

  mend() {
    for (const app of this.apps.values()) app.health = 'Healthy';
  }
}

const event = fc.oneof(
  fc.record({ do: fc.constant('pass' as const) }),
  fc.record({
    do: fc.constant('finish' as const),
    at: fc.nat(10),
    health: fc.constantFrom('Healthy', 'Progressing', 'Degraded'),
  }),
  fc.record({ do: fc.constant('commit' as const), revision: fc.constantFrom('r1', 'r2', 'r3') }),
  fc.record({ do: fc.constant('mend' as const) }),
);

test('any history keeps the order of steps and their budgets, and ends healthy once all goes well (DT-6)', () => {
  const budget = fc.constantFrom(undefined, 1, 2, '50%', '10%');
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...envs), { minLength: 1, maxLength: 8 }),
      fc.tuple(budget, budget, budget),
      fc.array(event, { maxLength: 40 }),
      (members, budgets, events) => {
        const fleet = new Fleet(members, budgets);
        for (const one of events) fleet.apply(one);
        for (let round = 0; round < 60; round++) {
          for (let i = 0; i < 8; i++) fleet.finish(0, 'Healthy');
          fleet.mend();
          fleet.pass();
        }
        const last = fleet.pass();
        expect(last.applicationStatus.map(({ status }) => status)).toEqual(members.map(() => 'Healthy'));
        expect(last.conditions[0]).toMatchObject({
          status: 'False',
          message: 'ApplicationSet Rollout has completed',
        });
      },
    ),
    { numRuns: 150 },
  );
});
