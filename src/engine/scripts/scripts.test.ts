import { expect, test } from 'vitest';
import { keyOf } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { assess } from '../health/health.ts';
import { isWorse } from '../health/verdict.ts';
import { newResult, observe } from '../sync/observe.ts';
import type { SyncTask } from '../sync/task.ts';
import { healthScriptFor } from './choose.ts';
import { failedVerdict, readVerdict } from './verdict.ts';

const folder = (name: string) => new URL(`./testdata/${name}/`, import.meta.url);

// an object and the configured overrides in, the script chosen for it out
test.each(cases(folder('choice')))('choice: $name', ({ input: [object, overrides], expect: wanted }) => {
  expect(healthScriptFor(object, overrides) ?? null).toEqual(wanted);
});

// what a script returned in, the verdict out
test.each(cases(folder('verdict')))('verdict: $name', ({ input: [returned], expect: wanted }) => {
  expect(readVerdict(returned?.value)).toEqual(wanted);
});

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { restartPolicy: 'Always' },
  status: { phase: 'Pending' },
};
const application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'child' },
  status: { health: { status: 'Degraded' } },
};
const scripted = () => readVerdict({ status: 'Healthy', message: 'says the script' });

test('H-2: a configured script comes before the checks we ship', () => {
  expect(assess(pod).health?.status).toBe('Progressing');
  expect(assess(pod, { scripted })).toEqual({ health: { status: 'Healthy', message: 'says the script' } });
  expect(assess(pod, { scripted: () => undefined }).health?.status).toBe('Progressing');
});

test('H-2: deletion comes before a configured script, unless a hook has yet to be read', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const leaving = { ...pod, metadata: { name: 'p', deletionTimestamp } };
  expect(assess(leaving, { scripted }).health?.status).toBe('Progressing');
  const finalizers = ['argocd.argoproj.io/hook-finalizer'];
  const held = { ...pod, metadata: { name: 'p', deletionTimestamp, finalizers } };
  expect(assess(held, { scripted }).health?.status).toBe('Healthy');
});

test('X-1: a configured script comes before the setting for child applications', () => {
  const child = { mode: 'mirror' as const };
  expect(assess(application, { child }).health?.status).toBe('Degraded');
  expect(assess(application, { child, scripted }).health?.status).toBe('Healthy');
});

test('H-23, H-1: an empty health is there, and ranks like Healthy', () => {
  const { health } = assess(pod, { scripted: () => readVerdict(undefined) });
  expect(health).toEqual({ status: '' });
  expect(health && isWorse(health.status, 'Healthy')).toBe(false);
});

test('H-23: an empty health keeps a sync waiting (S-19) and lets a hook succeed (S-12)', () => {
  const task: SyncTask = {
    id: 'pod',
    key: keyOf(pod),
    phase: 'Sync',
    wave: 0,
    target: pod,
    live: pod,
    mode: { verb: 'apply', force: false, validate: true },
    prune: { do: 'delete' },
    skipDryRun: false,
    unchanged: false,
    state: 'pending',
  };
  const stateOf = (one: SyncTask, returned: unknown) => {
    const running = newResult(one, { status: 'Synced', hookPhase: 'Running', message: '' });
    const seen = { recorded: new Map([['pod', running]]), run: 'r', absent: new Set<never>() };
    return observe(one, { ...seen, health: { scripted: () => readVerdict(returned) } }).state;
  };
  expect(stateOf(task, undefined)).toBe('running');
  expect(stateOf(task, { status: 'Healthy' })).toBe('succeeded');
  expect(stateOf({ ...task, hook: 'Sync' }, [])).toBe('succeeded');
  expect(stateOf({ ...task, hook: 'Sync' }, { status: 'Progressing' })).toBe('running');
});

test('H-3: a script that broke down makes the object Unknown, with the reason twice: on it and for its application', () => {
  const message = 'health script: line 3: no quorum';
  expect(failedVerdict('line 3: no quorum')).toEqual({
    health: { status: 'Unknown', message },
    error: message,
  });
});
