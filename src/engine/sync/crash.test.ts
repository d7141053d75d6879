import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Application,
  defaultSettings,
  type KubeObject,
  keyOf,
  type OperationState,
  type ResourceKey,
  syncWaveOf,
} from '#base/model';
import { compare } from '../compare.ts';
import { prepareTarget } from '../target.ts';
import { defaultTracking, ownerOf } from '../tracking.ts';
import { isHook } from './hooks.ts';
import { record } from './results.ts';
import { nextStep } from './step.ts';
import type { SyncStep, SyncTask, TaskOutcome } from './task.ts';
import { planTasks } from './tasks.ts';

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { destination: { server: 'https://cluster.example', namespace: 'd' } },
};
const { resources } = defaultSettings;
const isNamespaced = () => true;

/** Where the controller dies in a pass: nowhere, before it acts, half way through, or before it writes what it did. */
type Crash = 'none' | 'before' | 'half' | 'unrecorded';

class World {
  readonly live = new Map<ResourceKey, KubeObject>();
  readonly made: KubeObject[] = [];
  readonly runs = new Map<string, number>();

  apply({ target }: SyncTask): void {
    if (!target) return;
    const key = keyOf(target);
    const before = this.live.get(key);
    if (!before) {
      this.made.push(target);
      const run = `${key} ${target.metadata.annotations?.['fairlead.io/hook-run']}`;
      this.runs.set(run, (this.runs.get(run) ?? 0) + 1);
    }
    this.live.set(key, { ...target, status: before?.status });
  }

  /** Whatever runs is done by the next pass. */
  settle(): void {
    for (const [key, object] of this.live) {
      if (object.kind !== 'Job') continue;
      this.live.set(key, { ...object, status: { conditions: [{ type: 'Complete', status: 'True' }] } });
    }
  }

  take(step: SyncStep, limit: number): TaskOutcome[] {
    if (step.do === 'apply') {
      const tasks = step.groups.flat().slice(0, limit);
      for (const task of tasks) this.apply(task);
      return tasks.map((task) => ({ task, ok: true, message: '' }));
    }
    for (const { task, release, remove } of step.do === 'delete-hooks' ? step.hooks.slice(0, limit) : []) {
      const found = this.live.get(task.key);
      if (found && release)
        this.live.set(task.key, { ...found, metadata: { ...found.metadata, finalizers: [] } });
      if (remove) this.live.delete(task.key);
    }
    return [];
  }
}

function pass(world: World, targets: readonly KubeObject[], state: OperationState): SyncStep {
  const target = prepareTarget(targets, {
    owner: ownerOf(app, 'argocd'),
    tracking: defaultTracking,
    isNamespaced,
  });
  const options = { controlPlaneNamespace: 'argocd', tracking: defaultTracking, resources, isNamespaced };
  const comparison = compare(app, { target, live: [...world.live.values()] }, options);
  const discover = () => ({ found: true, namespaced: true }) as const;
  const plan = planTasks({ app, state, comparison, revision: 'main', discover });
  const step = nextStep(plan);
  return step.do === 'dry-run' ? nextStep(plan, { dryRun: [] }) : step;
}

function run(world: World, targets: readonly KubeObject[], crashes: readonly Crash[]): string {
  let state: OperationState = {
    operation: { sync: {} },
    phase: 'Running',
    startedAt: '2023-11-14T22:13:20Z',
  };
  for (let at = 0; at < 200; at++) {
    const step = pass(world, targets, state);
    const crash = crashes[at] ?? 'none';
    state = { ...state, syncResult: { resources: [...step.results] } };
    if (crash === 'before') continue;
    if (step.do === 'finish') return step.phase;
    const outcomes = world.take(step, crash === 'half' ? 1 : Number.POSITIVE_INFINITY);
    if (crash === 'none') state = { ...state, syncResult: { resources: [...record(step, outcomes)] } };
    world.settle();
  }
  return 'never';
}

const wave = fc.integer({ min: -2, max: 2 });
const plain = fc.record({ kind: fc.constant('ConfigMap'), wave });
const hook = fc.record({
  kind: fc.constant('Job'),
  wave,
  phases: fc.constantFrom('PreSync', 'Sync', 'PostSync', 'PreSync,PostSync', 'SyncFail'),
  policy: fc.constantFrom('', 'BeforeHookCreation', 'HookSucceeded', 'HookSucceeded,BeforeHookCreation'),
});
const things = fc.array(fc.oneof(plain, hook), { maxLength: 8 });
const crashes = fc.array(fc.constantFrom<Crash>('none', 'before', 'half', 'unrecorded'), { maxLength: 30 });

function objectOf(
  thing: { kind: string; wave: number; phases?: string; policy?: string },
  at: number,
): KubeObject {
  return {
    apiVersion: thing.kind === 'Job' ? 'batch/v1' : 'v1',
    kind: thing.kind,
    metadata: {
      name: `n${at}`,
      namespace: 'd',
      annotations: {
        'argocd.argoproj.io/sync-wave': String(thing.wave),
        ...(thing.phases && { 'argocd.argoproj.io/hook': thing.phases }),
        ...(thing.policy && { 'argocd.argoproj.io/hook-delete-policy': thing.policy }),
      },
    },
  };
}

test('a sync ends, and runs every hook once, wherever the controller dies (R-43)', () => {
  fc.assert(
    fc.property(things, crashes, fc.boolean(), (given, dying, leftover) => {
      const targets = given.map(objectOf);
      const world = new World();
      for (const object of leftover ? targets.filter(isHook) : []) world.live.set(keyOf(object), object);
      expect(run(world, targets, dying)).toBe('Succeeded');
      for (const [id, times] of world.runs) if (id.includes('/Job/')) expect([id, times]).toEqual([id, 1]);
    }),
    { numRuns: 300 },
  );
});

test('no task is applied before its phase and wave', () => {
  const phases = ['presync', 'sync', 'postsync'];
  fc.assert(
    fc.property(things, crashes, (given, dying) => {
      const world = new World();
      run(world, given.map(objectOf), dying);
      const places = world.made.map((object) => {
        const mark = object.metadata.annotations?.['fairlead.io/hook-run'] ?? 'sync-';
        return phases.indexOf(mark.slice(0, mark.indexOf('-'))) * 100 + syncWaveOf(object);
      });
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }),
    { numRuns: 200 },
  );
});

test('asked again after any recorded step, the rest of the sync is the same (R-43)', () => {
  fc.assert(
    fc.property(things, (given) => {
      const targets = given.map(objectOf);
      const whole = stepsOf(new World(), targets, begun);
      const world = new World();
      let state = begun;
      for (const [at, step] of whole.entries()) {
        const copy = new World();
        for (const [key, object] of world.live) copy.live.set(key, object);
        expect(stepsOf(copy, targets, structuredClone(state)).map(told)).toEqual(whole.slice(at).map(told));
        state = withResults(state, record(step, world.take(step, Number.POSITIVE_INFINITY)));
        world.settle();
      }
    }),
    { numRuns: 20 },
  );
});

const begun: OperationState = {
  operation: { sync: {} },
  phase: 'Running',
  startedAt: '2023-11-14T22:13:20Z',
};
const withResults = (state: OperationState, results: SyncStep['results']): OperationState => ({
  ...state,
  syncResult: { resources: [...results] },
});

function stepsOf(world: World, targets: readonly KubeObject[], from: OperationState): SyncStep[] {
  const steps: SyncStep[] = [];
  let state = from;
  for (let at = 0; at < 100; at++) {
    const step = pass(world, targets, state);
    steps.push(step);
    if (step.do === 'finish') return steps;
    state = withResults(state, record(step, world.take(step, Number.POSITIVE_INFINITY)));
    world.settle();
  }
  throw new Error('the sync never ends');
}

/** What a step does, and to what. */
function told(step: SyncStep): string {
  if (step.do === 'apply')
    return `apply ${step.phase} ${step.wave} ${step.groups.flat().map(({ id }) => id)}`;
  if (step.do === 'delete-hooks') return `delete ${step.hooks.map(({ task }) => task.id)}`;
  if (step.do === 'wait') return `wait ${step.for.map(({ id }) => id)}`;
  return step.do === 'finish' ? `finish ${step.phase}` : step.do;
}

test('prunes go in the mirrored order of their waves (S-38)', () => {
  fc.assert(
    fc.property(fc.uniqueArray(wave, { minLength: 1 }), (waves) => {
      const world = new World();
      waves.forEach((number, at) => {
        const object = objectOf({ kind: 'ConfigMap', wave: number }, at);
        const mark = { 'argocd.argoproj.io/tracking-id': `app:/ConfigMap:d/${object.metadata.name}` };
        const annotations = { ...object.metadata.annotations, ...mark };
        world.live.set(keyOf(object), { ...object, metadata: { ...object.metadata, annotations } });
      });
      const gone: number[] = [];
      let state: OperationState = { ...begun, operation: { sync: { prune: true } } };
      for (let step = pass(world, [], state); step.do === 'apply'; step = pass(world, [], state)) {
        gone.push(...step.prune.map(({ live }) => (live ? syncWaveOf(live) : 0)));
        const outcomes = step.prune.map((task) => ({ task, ok: true, message: '' }));
        for (const { key } of step.prune) world.live.delete(key);
        state = withResults(state, record(step, outcomes));
      }
      expect(gone).toEqual([...waves].sort((a, b) => b - a));
    }),
  );
});

test('every wait names whom it is for, how that stands and what follows', () => {
  fc.assert(
    fc.property(things, (given) => {
      const world = new World();
      const targets = given.map(objectOf);
      let state = begun;
      for (let at = 0; at < 100; at++) {
        const step = pass(world, targets, state);
        if (step.do === 'finish') return;
        if (step.do === 'wait') {
          expect(step.blockers.map(({ key }) => key)).toEqual(step.for.map(({ key }) => key));
          for (const { name, state: how } of step.blockers) expect([name, how]).not.toContain('');
          expect(step.why).toContain(step.blockers[0]?.name);
          expect(step.why).toContain(`then ${step.next}`);
          world.settle();
        }
        state = withResults(state, record(step, world.take(step, Number.POSITIVE_INFINITY)));
      }
    }),
    { numRuns: 20 },
  );
});
