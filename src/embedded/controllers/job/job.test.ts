import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import type { Job } from './view.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'once' };
const job = (spec: object = {}, image = 'tool:1', annotations = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'once', namespace: 'default', annotations },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } }, ...spec },
});
const read = () => stage.read<Job>(ref);
const conditions = () => read().status?.conditions?.map(({ type, status, reason }) => [type, status, reason]);
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });

async function start(made: object): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(made);
}

test('a job runs its pod and is complete', async () => {
  await start(job());
  await stage.clock.advance(500);
  expect(read().status).toMatchObject({ active: 1, ready: 1 });
  await stage.clock.advance(1000);
  expect(conditions()).toEqual([
    ['SuccessCriteriaMet', 'True', 'CompletionsReached'],
    ['Complete', 'True', 'CompletionsReached'],
  ]);
  expect(read().status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
  expect(read().status?.active).toBeUndefined();
  expect(read().status?.completionTime).toBeDefined();
  expect(pods()[0]?.metadata.finalizers).toBeUndefined();
});

test('a job that fails tries again after ten seconds, twenty, then gives up', async () => {
  await start(job({ backoffLimit: 2 }, 'tool:job-fail'));
  await stage.clock.advance(5000);
  expect(read().status).toMatchObject({ failed: 1 });
  await stage.clock.advance(10_000);
  expect(read().status).toMatchObject({ failed: 2 });
  await stage.clock.advance(25_000);
  expect(conditions()).toEqual([
    ['FailureTarget', 'True', 'BackoffLimitExceeded'],
    ['Failed', 'True', 'BackoffLimitExceeded'],
  ]);
  expect(read().status).toMatchObject({ failed: 3 });
});

test('an annotation on the job decides, and says how long it takes', async () => {
  const script = { 'simulate.fairlead.io/outcome': 'fail', 'simulate.fairlead.io/run-for': '5s' };
  await start(job({ backoffLimit: 0 }, 'tool:1', script));
  await stage.clock.advance(4000);
  expect(read().status).toMatchObject({ active: 1 });
  await stage.clock.advance(2000);
  expect(conditions()?.at(-1)).toEqual(['Failed', 'True', 'BackoffLimitExceeded']);
});

test('pods run side by side until there are enough', async () => {
  await start(job({ completions: 5, parallelism: 2 }));
  await stage.clock.advance(500);
  expect(read().status).toMatchObject({ active: 2 });
  await stage.clock.advance(5000);
  expect(read().status).toMatchObject({ succeeded: 5 });
  expect(pods()).toHaveLength(5);
});

test('indexed jobs run each index once', async () => {
  await start(job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
  await stage.clock.advance(3000);
  expect(read().status?.completedIndexes).toBe('0-2');
  expect(conditions()?.at(-1)).toEqual(['Complete', 'True', 'CompletionsReached']);
});

test('a deadline ends a job that takes too long', async () => {
  await start(job({ activeDeadlineSeconds: 3 }, 'tool:1', { 'simulate.fairlead.io/run-for': '1h' }));
  await stage.clock.advance(5000);
  expect(conditions()?.at(-1)).toEqual(['Failed', 'True', 'DeadlineExceeded']);
  expect(read().status?.active).toBeUndefined();
});

test('a suspended job waits', async () => {
  await start(job({ suspend: true }));
  await stage.clock.advance(3000);
  expect(pods()).toHaveLength(0);
  expect(conditions()).toEqual([['Suspended', 'True', 'JobSuspended']]);
  await stage.patch(ref, { spec: { suspend: false } });
  await stage.clock.advance(3000);
  expect(conditions()?.at(-1)).toEqual(['Complete', 'True', 'CompletionsReached']);
});

test('a finished job can clean up after itself', async () => {
  await start(job({ ttlSecondsAfterFinished: 10 }));
  await stage.clock.advance(5000);
  expect(conditions()).toHaveLength(2);
  await stage.clock.advance(10_000);
  await stage.cluster.settled();
  await stage.clock.advance(100);
  expect(stage.objects.get(ref)).toBeUndefined();
  expect(pods()).toHaveLength(0);
});

test('a deleted job leaves no pods behind, running or not', async () => {
  await start(job({ completions: 3, parallelism: 2 }));
  await stage.clock.advance(1600);
  await stage.remove(ref);
  await stage.cluster.settled();
  await stage.clock.advance(1000);
  expect(pods()).toHaveLength(0);
});

test('a failure that the policy names ends the job at once, with the rule in its message', async () => {
  const podFailurePolicy = {
    rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }],
  };
  await start(job({ podFailurePolicy }, 'tool:exit-42'));
  await stage.clock.advance(3000);
  const last = read().status?.conditions?.at(-1);
  expect(last).toMatchObject({ type: 'Failed', reason: 'PodFailurePolicy' });
  expect(last?.message).toMatch(
    /^Container c for pod default\/once-\w{5} failed with exit code 42 matching FailJob rule at index 0$/,
  );
});

test('a failure that the policy ignores does not count', async () => {
  const podFailurePolicy = {
    rules: [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [42] } }],
  };
  await start(job({ podFailurePolicy, backoffLimit: 0 }, 'tool:job-fail'));
  await stage.clock.advance(60_000);
  expect(read().status?.failed).toBeUndefined();
  expect(read().status?.conditions).toBeUndefined();
});

test('each index has failures of its own, and the job fails when all are over', async () => {
  const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1 };
  await start(job(spec, 'tool:job-fail'));
  await stage.clock.advance(60_000);
  expect(read().status).toMatchObject({ failedIndexes: '0,1', failed: 4 });
  expect(conditions()?.at(-1)).toEqual(['Failed', 'True', 'FailedIndexes']);
});

test('a success policy ends a job before all indexes are done', async () => {
  const successPolicy = { rules: [{ succeededCount: 1 }] };
  await start(job({ completionMode: 'Indexed', completions: 3, parallelism: 1, successPolicy }));
  await stage.clock.advance(3000);
  expect(read().status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  expect(conditions()?.at(-1)).toEqual(['Complete', 'True', 'SuccessPolicy']);
});

test('a job that is told to fail twice succeeds the third time', async () => {
  await start(job({}, 'tool:1', { 'simulate.fairlead.io/outcome': 'fail:2' }));
  await stage.clock.advance(60_000);
  expect(read().status).toMatchObject({ failed: 2, succeeded: 1 });
});
