import { expect, test } from 'vitest';
import type { Application, Operation, OperationState } from '#base/model';
import { historyAfter } from './history.ts';
import {
  deadlineOf,
  finish,
  heedTermination,
  isCompleted,
  nextPassMs,
  planPass,
  requestTermination,
  retryDelay,
} from './operation.ts';

const operation: Operation = { sync: { revision: 'main' }, retry: { limit: 2 } };
const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const appWith = (state?: OperationState): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: { name: 'c' } },
  operation,
  status: { ...(state && { operationState: state }) },
});
const running: OperationState = { operation, phase: 'Running', startedAt: '2026-01-01T00:00:00Z' };
const failed = { phase: 'Failed', message: 'it broke' } as const;

test('without a state, or with a completed one, an operation starts afresh (R-32)', () => {
  const wanted = { do: 'run', state: running };
  expect(planPass(appWith(), operation, { now: at(0) })).toEqual(wanted);
  expect(
    planPass(appWith({ ...running, phase: 'Failed', startedAt: 'before' }), operation, { now: at(0) }),
  ).toEqual(wanted);
});

test('a running one goes on as it is', () => {
  expect(planPass(appWith(running), operation, { now: at(5) })).toEqual({ do: 'run', state: running });
});

test('a failure is retried with the true waiting times, then it is final (R-37, R-38, vector 17)', () => {
  const first = finish(running, failed, at(1));
  expect(first).toMatchObject({ phase: 'Running', retryCount: 1, finishedAt: '2026-01-01T00:00:01Z' });
  expect(first.message).toBe('it broke; attempt 2 begins at 2026-01-01T00:00:11Z');
  expect(planPass(appWith(first), operation, { now: at(2) })).toEqual({ do: 'wait', state: first, ms: 9000 });

  const again = planPass(appWith(first), operation, { now: at(11) });
  expect(again).toMatchObject({ do: 'run', state: { phase: 'Running', retryCount: 1 } });
  expect(again.state.finishedAt).toBeUndefined();
  const second = finish(again.state, failed, at(12));
  expect(second.message).toContain('begins at 2026-01-01T00:00:32Z');
  expect(finish({ ...second, phase: 'Running' }, failed, at(40))).toMatchObject({
    phase: 'Failed',
    message: 'it broke',
  });
});

test('the waits double from twice the first one, up to the cap (R-38)', () => {
  expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelay({}, attempt) / 1000)).toEqual([
    10, 20, 40, 80, 160, 180,
  ]);
  expect(retryDelay({ backoff: { duration: '2', factor: 3, maxDuration: '0' } }, 5)).toBe(486_000);
});

test('a negative limit never ends, none at all ends at once (A-16)', () => {
  const endless = { ...running, operation: { ...operation, retry: { limit: -1 } }, retryCount: 99 };
  expect(finish(endless, failed, at(1)).phase).toBe('Running');
  expect(finish({ ...running, operation: { sync: {} } }, failed, at(1)).phase).toBe('Failed');
  expect(finish({ ...running, operation: { retry: {} } }, failed, at(1)).phase).toBe('Failed');
});

test('a backoff nobody can read is an Error (R-39)', () => {
  const odd = { ...running, operation: { ...operation, retry: { limit: 3, backoff: { duration: 'soon' } } } };
  expect(finish(odd, failed, at(1))).toMatchObject({ phase: 'Error' });
  expect(finish(odd, failed, at(1)).message).toMatch(/^it broke; .*"soon"/);
});

test('a retry forgets its progress but keeps the revision it resolved first (R-37)', () => {
  const state = {
    ...running,
    syncResult: { revision: 'abc', resources: [] },
    finishedAt: '2026-01-01T00:00:00Z',
    retryCount: 1,
  };
  const { state: next } = planPass(appWith(state), operation, { now: at(60) });
  expect(next.syncResult).toBeUndefined();
  expect(next.operation.sync?.revision).toBe('abc');
});

test('unless it is told to refresh (R-37, vector 19)', () => {
  const refreshing = { ...operation, retry: { limit: 2, refresh: true } };
  const state = {
    ...running,
    operation: refreshing,
    syncResult: { revision: 'abc' },
    finishedAt: '2026-01-01T00:00:00Z',
    retryCount: 1,
  };
  const { state: next } = planPass(appWith(state), refreshing, { now: at(60) });
  expect(next.operation.sync).toEqual({});
});

test('termination is asked for once, and is never retried (R-41)', () => {
  expect(requestTermination(appWith())).toBeUndefined();
  expect(requestTermination(appWith({ ...running, phase: 'Succeeded' }))).toBeUndefined();
  const asked = requestTermination(appWith(running));
  expect(asked?.phase).toBe('Terminating');
  expect(finish({ ...running, phase: 'Terminating' }, failed, at(1)).phase).toBe('Failed');
});

test('a sync that takes too long is terminated, retries included (R-42)', () => {
  const waiting = { ...running, retryCount: 1, finishedAt: '2026-01-01T00:00:50Z' };
  expect(planPass(appWith(waiting), operation, { now: at(61), timeoutMs: 60_000 })).toMatchObject({
    do: 'run',
    state: { phase: 'Terminating' },
  });
  expect(planPass(appWith(running), operation, { now: at(60), timeoutMs: 60_000 })).toMatchObject({
    state: { phase: 'Running' },
  });
});

test('an application that is being deleted has its operation ended, and begins none (dev A-30)', () => {
  for (const state of [
    undefined,
    running,
    { ...running, retryCount: 1, finishedAt: '2026-01-01T00:00:50Z' },
  ]) {
    const app = appWith(state);
    const going = { ...app, metadata: { ...app.metadata, deletionTimestamp: '2026-01-01T00:00:10Z' } };
    const { finishedAt, ...ending } = planPass(going, operation, { now: at(5) }).state;
    expect(ending).toMatchObject({
      phase: 'Terminating',
      message: 'terminated: the application is being deleted',
    });
    expect(finishedAt).toBeUndefined();
  }
});

test('completed is completed', () => {
  expect(
    (['Running', 'Terminating', 'Failed', 'Error', 'Succeeded'] as const).map((phase) =>
      isCompleted({ phase }),
    ),
  ).toEqual([false, false, true, true, true]);
});

const done: OperationState = {
  operation: { sync: {}, initiatedBy: { username: 'alice' } },
  phase: 'Succeeded',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:09Z',
  syncResult: { revision: 'abc', source: { repoURL: 'r', path: 'p' } },
};

test('a full success is remembered, the oldest forgotten (R-44, X-18)', () => {
  const entry = {
    id: 8,
    revision: 'abc',
    source: { repoURL: 'r', path: 'p' },
    deployStartedAt: '2026-01-01T00:00:00Z',
    deployedAt: '2026-01-01T00:00:09Z',
    initiatedBy: { username: 'alice' },
  };
  const old = [6, 7].map((id) => ({ id, deployedAt: '' }));
  const app = { ...appWith(), status: { history: old } };
  expect(historyAfter(app, done)).toEqual([...old, entry]);
  expect(historyAfter({ ...app, spec: { ...app.spec, revisionHistoryLimit: 2 } }, done)).toEqual([
    old[1],
    entry,
  ]);
  expect(historyAfter({ ...app, spec: { ...app.spec, revisionHistoryLimit: 0 } }, done)).toEqual([]);
  expect(historyAfter(appWith(), done)).toMatchObject([{ id: 0 }]);
});

test('a dry run, a partial sync and a failure are not (R-44)', () => {
  const history = [{ id: 0, deployedAt: '' }];
  const app = { ...appWith(), status: { history } };
  expect(historyAfter(app, { ...done, phase: 'Failed' })).toBe(history);
  expect(historyAfter(app, { ...done, operation: { sync: { dryRun: true } } })).toBe(history);
  expect(historyAfter(app, { ...done, operation: { sync: { resources: [{ kind: 'A', name: 'a' }] } } })).toBe(
    history,
  );
});

test('a pass follows within half a minute, or at the deadline if that is sooner (R-33, R-42)', () => {
  expect(nextPassMs(running, { now: at(5) })).toBe(30_000);
  expect(nextPassMs(running, { now: at(5), timeoutMs: 3_600_000 })).toBe(30_000);
  expect(nextPassMs(running, { now: at(5), timeoutMs: 15_000 })).toBe(10_001);
  expect(nextPassMs(running, { now: at(50), timeoutMs: 15_000 })).toBe(0);
  expect(nextPassMs({ ...running, phase: 'Terminating' }, { now: at(50), timeoutMs: 15_000 })).toBe(30_000);
});

test('a long wait for a retry is looked at in between (R-33)', () => {
  const patient = { ...operation, retry: { limit: 2, backoff: { duration: '100s' } } };
  const waiting = { ...running, operation: patient, finishedAt: '2026-01-01T00:00:00Z', retryCount: 1 };
  expect(planPass(appWith(waiting), patient, { now: at(0) })).toMatchObject({ do: 'wait', ms: 30_000 });
});

test('another wish than the one that was begun begins anew; revisions that a retry noted are no other wish (dev R-32)', () => {
  const app = appWith(running);
  const begins = (asked: Operation, begun = running) =>
    planPass(begun === running ? app : appWith(begun), asked, { now: at(50) }).state.startedAt !==
    begun.startedAt;
  expect(begins(operation)).toBe(false);
  expect(begins({ ...operation, sync: { ...operation.sync, prune: true } })).toBe(true);
  expect(begins({ ...operation, initiatedBy: { username: 'somebody else' } })).toBe(true);
  expect(begins({ ...operation, sync: { revision: 'other' } })).toBe(true);
  const pinned = { ...operation, sync: { ...operation.sync, revision: 'abc' } };
  expect(begins(operation, { ...running, operation: pinned, retryCount: 1 })).toBe(false);
});

test('the deadline is counted from the start, and there is none without a timeout (R-42)', () => {
  expect(deadlineOf(running, 90_000)).toEqual(at(90));
  expect(deadlineOf(running, 0)).toBeUndefined();
});

test('a termination that came while a step was taken wins over Running (R-36)', () => {
  const asked = { ...running, phase: 'Terminating' as const };
  expect(heedTermination({ ...running, message: 'ours' }, asked)).toEqual({ ...asked, message: 'ours' });
  expect(heedTermination(running, running)).toBe(running);
  expect(heedTermination(running, undefined)).toBe(running);
  expect(heedTermination({ ...running, phase: 'Succeeded' }, asked).phase).toBe('Succeeded');
  expect(heedTermination(running, { ...asked, startedAt: 'another operation' })).toBe(running);
});

test('what could not run is an Error, what ran and went wrong has Failed; both may be tried again (R-31)', () => {
  const once = { ...running, operation: { sync: {} } };
  const error = { phase: 'Error', message: 'no cluster' } as const;
  expect(finish(once, error, at(1)).phase).toBe('Error');
  expect(finish(once, failed, at(1)).phase).toBe('Failed');
  expect(finish(running, error, at(1))).toMatchObject({ phase: 'Running', retryCount: 1 });
});
