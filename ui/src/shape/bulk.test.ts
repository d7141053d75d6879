import { expect, test } from 'vitest';
import type { ApplicationStatus } from '#base/model';
import { type BulkChoices, type BulkDeed, bulkLabel, bulkPlan, whyNotBulk } from './bulk.ts';
import { sampleApplication, sampleRun } from './sample-application.ts';

const app = (name: string, status: ApplicationStatus = {}) => sampleApplication(status, {}, name);
const resources = [
  { kind: 'Service', name: 'web', status: 'OutOfSync' as const },
  { kind: 'ConfigMap', name: 'old', status: 'OutOfSync' as const, requiresPruning: true },
];
const apps = [app('a', { resources }), app('b', { operationState: sampleRun() }), app('c')];
const choices: BulkChoices = { prune: false, deletion: 'foreground' };
const lines = (deed: BulkDeed, more: Partial<BulkChoices> = {}) =>
  bulkPlan(deed, apps, { ...choices, ...more }).map(({ effect }) => effect);

test('a deed on many says what it does to each, and leaves out what cannot be done', () => {
  expect(lines('sync')).toEqual([
    '1 change, 1 kept, prune is off',
    'left out: a sync is running',
    'nothing differs',
  ]);
  expect(lines('sync', { prune: true })[0]).toBe('1 change, 1 pruned');
  expect(lines('delete')[0]).toBe('is deleted with 2 resources');
  expect(lines('delete', { deletion: 'keep' })[0]).toBe('is deleted, its 2 resources stay');
  expect(bulkLabel('sync', bulkPlan('sync', apps, choices))).toBe('Sync 2 applications');
});

test('an application that the user has no right to is left out', () => {
  const plan = bulkPlan('delete', apps, choices, new Set(['argocd/a']));
  expect(plan[0]).toMatchObject({ effect: 'left out: you may not delete it', isSkipped: true });
  expect(bulkLabel('delete', plan)).toBe('Delete 2 applications');
});

test.each([
  ['delete', '', 'Type 3 to confirm.'],
  ['delete', '2', 'Type 3 to confirm.'],
  ['delete', ' 3 ', undefined],
  ['sync', '', undefined],
] as const)('to %s after typing "%s": %s', (deed, typed, why) => {
  expect(whyNotBulk(deed, bulkPlan(deed, apps, choices), typed)).toBe(why);
});

test('nothing is confirmed where all are left out', () => {
  const all = new Set(['argocd/a', 'argocd/b', 'argocd/c']);
  expect(whyNotBulk('delete', bulkPlan('delete', apps, choices, all), '0')).toBe(
    'None of them can be done now.',
  );
});
