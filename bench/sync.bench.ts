import { type KubeObject, keyOf } from '#base/model';
import { nextStep, record, type SyncPlan, type SyncStep, type SyncTask } from '#engine';
import type { BenchCase } from './harness.ts';

const options: SyncPlan['options'] = {
  all: [],
  applyOutOfSyncOnly: false,
  createNamespace: false,
  failOnSharedResource: false,
  migrateClientSideApply: true,
  propagation: 'foreground',
  pruneLast: false,
  respectIgnoreDifferences: false,
  skipDryRunOnMissingResource: false,
  unknown: [],
};

/** A plan in its first half: ten waves, a hook in every hundred, everything up to the fifth wave applied and running. */
function planOf(count: number): SyncPlan {
  const tasks = Array.from({ length: count }, (_, at): SyncTask => {
    const wave = Math.floor((at * 10) / count);
    const target: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c${at}`, namespace: 'd' },
    };
    const isBegun = wave < 5;
    const result = { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'd', name: `c${at}` };
    return {
      id: `${keyOf(target)}:Sync`,
      key: keyOf(target),
      phase: 'Sync',
      wave,
      target,
      mode: { verb: 'apply', force: false, validate: true },
      prune: { do: 'delete' },
      skipDryRun: false,
      unchanged: false,
      state: isBegun ? 'running' : 'pending',
      ...(at % 100 === 0 && { hook: 'Sync' as const }),
      ...(isBegun && {
        live: target,
        result: { ...result, syncPhase: 'Sync', status: 'Synced', hookPhase: 'Running' },
      }),
    };
  });
  return {
    tasks,
    recorded: tasks.flatMap(({ result }) => result ?? []),
    options,
    dryRunOnly: false,
    startedAt: '2026-01-01T00:00:00Z',
    namespaceKey: undefined,
  };
}

const pass = (plan: SyncPlan): SyncStep => {
  const step = nextStep(plan);
  record(step, []);
  return step;
};
const [small, large] = [planOf(100), planOf(10_000)];

// per task; a ratio near 1 says that a hundred times the tasks take a hundred times as long, and not more
export const cases: BenchCase[] = [
  {
    name: 'sync: one step of 10,000 tasks, per task',
    baseline: 'of 100 tasks, a hundred times',
    operations: 10_000,
    run: () => {
      pass(large);
    },
    against: () => {
      for (let at = 0; at < 100; at++) pass(small);
    },
  },
];
