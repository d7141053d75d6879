import { expect, test } from 'vitest';
import { type Application, readApplicationSet } from '#base/model';
import { type SetOutcome, setStatus } from '#engine';

const set = readApplicationSet({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'set', namespace: 'argocd' },
  spec: { generators: [], template: {} },
});
const app = (name: string, status: object = {}): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: { destination: {} },
    status,
  }) as Application;
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const facts = { owned: [], warnings: [], maxResources: 5000 };
const failed: SetOutcome = { is: 'failed', reason: 'CreateApplicationError', message: 'no' };

const summary = (outcome: SetOutcome) =>
  setStatus({ set, outcome, ...facts, now: at(0) }).conditions?.map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );

test.each([
  [
    { is: 'up to date' },
    [
      'ErrorOccurred=False ApplicationSetUpToDate',
      'ParametersGenerated=True ParametersGenerated',
      'ResourcesUpToDate=True ApplicationSetUpToDate',
    ],
    'Healthy',
  ],
  [
    failed,
    [
      'ErrorOccurred=True CreateApplicationError',
      'ParametersGenerated=True ParametersGenerated',
      'ResourcesUpToDate=False CreateApplicationError',
    ],
    'Degraded',
  ],
  [
    { is: 'failed', reason: 'ApplicationGenerationFromParamsError', message: 'no' },
    [
      'ErrorOccurred=True ApplicationGenerationFromParamsError',
      'ParametersGenerated=False ErrorOccurred',
      'ResourcesUpToDate=False ApplicationGenerationFromParamsError',
    ],
    'Degraded',
  ],
] as const)(
  'a pass that is %j has the conditions %j (sources ASA-13, ASA-15)',
  (outcome, conditions, health) => {
    expect(summary(outcome)).toEqual(conditions);
    expect(setStatus({ set, outcome, ...facts, now: at(0) }).health?.status).toBe(health);
  },
);

test('a pass that changes nothing leaves the very same status; times change with what is said', () => {
  const first = setStatus({ set, outcome: { is: 'up to date' }, ...facts, now: at(1) });
  const then = { ...set, status: first };
  expect(setStatus({ set: then, outcome: { is: 'up to date' }, ...facts, now: at(2) })).toBe(first);
  const after = setStatus({ set: then, outcome: failed, ...facts, now: at(3) });
  expect(after.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
    ['ErrorOccurred', '2026-01-01T00:00:03Z'],
    ['ParametersGenerated', '2026-01-01T00:00:01Z'],
    ['ResourcesUpToDate', '2026-01-01T00:00:03Z'],
  ]);
});

test('resources are sorted and cut, their number is not (sources ASA-12)', () => {
  const owned = [app('b', { sync: { status: 'Synced' }, health: { status: 'Healthy' } }), app('a'), app('c')];
  const status = setStatus({
    set,
    outcome: { is: 'up to date' },
    ...facts,
    owned,
    maxResources: 2,
    now: at(0),
  });
  expect(status.resourcesCount).toBe(3);
  const common = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', namespace: 'argocd' };
  expect(status.resources).toEqual([
    { ...common, name: 'a' },
    { ...common, name: 'b', status: 'Synced', health: { status: 'Healthy' } },
  ]);
});

test('what a rollout left is removed with it, warnings are a condition of their own', () => {
  const rollout = {
    applicationStatus: [{ application: 'a', status: 'Waiting' as const, step: '1' }],
    conditions: [
      { type: 'RolloutProgressing', status: 'True', reason: 'ApplicationSetModified', message: 'm' },
    ],
  };
  const input = { outcome: { is: 'up to date' } as const, ...facts, now: at(0) };
  const during = setStatus({ set, ...input, rollout, warnings: ['one', 'two'] });
  expect(during.applicationStatus).toHaveLength(1);
  expect(during.health?.status).toBe('Progressing');
  expect(during.conditions?.at(-1)).toMatchObject({ type: 'ConfigurationWarning', message: 'one; two' });
  const after = setStatus({ set: { ...set, status: during }, ...input });
  expect(after.applicationStatus).toBeUndefined();
  expect(after.conditions?.map(({ type }) => type)).toEqual([
    'ErrorOccurred',
    'ParametersGenerated',
    'ResourcesUpToDate',
  ]);
});
