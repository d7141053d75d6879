import { expect, test } from 'vitest';
import type { ResourceKey } from '#base/model';
import type { ManagedResource } from '#serve/api';
import { sampleApplication } from './sample-application.ts';
import { firstChoices, planOf, type SyncChoices } from './sync-plan.ts';

const item = (name: string, rest: Partial<ManagedResource>): ManagedResource => ({
  kind: 'ConfigMap',
  namespace: 'shop',
  name,
  targetState: '{}',
  liveState: '{}',
  normalizedLiveState: '{}',
  predictedLiveState: '{}',
  ...rest,
});
const items = [
  item('new', { liveState: 'null' }),
  item('a', { modified: true }),
  item('b', { modified: true }),
  item('old', { targetState: 'null' }),
  item('hook', { hook: true, liveState: 'null' }),
];
const app = sampleApplication();
const choose = (choices: Partial<SyncChoices>) => planOf(app, items, { ...firstChoices(app), ...choices });
const key = (name: string) => `/ConfigMap/shop/${name}` as ResourceKey;

test.each<[Partial<SyncChoices>, string]>([
  [{}, 'Sync 3 changes'],
  [{ prune: true }, 'Sync 3 changes, prune 1'],
  [{ prune: true, dryRun: true }, 'Dry-run 3 changes, prune 1'],
  [{ without: new Set([key('a'), key('b')]) }, 'Sync 1 change'],
  [{ prune: true, without: new Set([key('a'), key('b'), key('new')]) }, 'Sync prune 1'],
  [{ without: new Set([key('a'), key('b'), key('new')]) }, 'Sync without changes'],
])('with %o the button says %s', (choices, label) => {
  expect(choose(choices).label).toBe(label.replace('Sync prune', 'Prune'));
});

test('what will stay, run or be interrupted is said beforehand', () => {
  expect(choose({}).notes).toEqual(['1 resource gone from Git will stay: prune is off.', '1 hook will run.']);
  expect(choose({ prune: true, applyOnly: true }).notes).toEqual([]);
  expect(choose({ prune: true, without: new Set([key('a')]) }).notes).toEqual([
    'Hooks do not run when only some resources are synced.',
  ]);
  expect(choose({ prune: true, applyOnly: true, force: true }).notes).toEqual([
    'Force deletes and creates again what cannot be changed: expect an interruption.',
  ]);
});

test('the request says what was chosen, and names resources only when some were left out', () => {
  expect(choose({ prune: true }).request).toEqual({ prune: true, dryRun: false, strategy: { hook: {} } });
  expect(choose({ applyOnly: true, force: true }).request.strategy).toEqual({ apply: { force: true } });
  expect(choose({ without: new Set([key('a'), key('old')]) }).request.resources).toEqual([
    { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'new' },
    { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'b' },
  ]);
});

test('the dialog opens with the policy of the application', () => {
  expect(firstChoices(app).prune).toBe(false);
  const pruning = sampleApplication({}, { syncPolicy: { automated: { prune: true } } });
  expect(firstChoices(pruning).prune).toBe(true);
});
