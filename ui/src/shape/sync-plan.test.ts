import { expect, test } from 'vitest';
import type { ResourceKey } from '#base/model';
import type { ManagedResource } from '#serve/api';
import { revisionChanges } from './revision-diff.ts';
import { sampleApplication } from './sample-application.ts';
import {
  choicesFor,
  firstChoices,
  planOf,
  type SyncChoices,
  withOption,
  withPropagation,
} from './sync-plan.ts';

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

test('a sync of one resource leaves out the others, and applies again what does not differ', () => {
  const only = planOf(app, items, choicesFor(app, items, [key('b')]));
  expect([only.label, only.request.resources?.map(({ name }) => name)]).toEqual(['Sync 1 change', ['b']]);
  const same = [...items, item('same', {})];
  const again = planOf(app, same, choicesFor(app, same, [key('same')]));
  expect([again.label, again.why]).toEqual(['Sync 1 resource', undefined]);
  expect(again.request.resources).toEqual([
    { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'same' },
  ]);
  expect(again.notes).toContain('ConfigMap same does not differ: it is applied again.');
  expect(choicesFor(app, items, 'all')).toEqual(firstChoices(app));
});

test('a namespace that the sync creates is announced while nothing in it is live', () => {
  const own = sampleApplication(
    {},
    { destination: { namespace: 'shop' }, syncPolicy: { syncOptions: ['CreateNamespace=true'] } },
  );
  const notes = (some: ManagedResource[]) => planOf(own, some, firstChoices(own)).notes;
  const note = 'Namespace shop is created first, if it is missing.';
  expect(notes([item('new', { liveState: 'null' })])).toContain(note);
  expect(notes(items)).not.toContain(note);
  expect(planOf(app, [item('new', { liveState: 'null' })], firstChoices(app)).notes).toEqual([]);
});

test('the dialog opens with the policy of the application', () => {
  expect(firstChoices(app).prune).toBe(false);
  const pruning = sampleApplication({}, { syncPolicy: { automated: { prune: true } } });
  expect(firstChoices(pruning).prune).toBe(true);
});

test('the request has only what differs from the application', () => {
  const own = sampleApplication(
    {},
    { syncPolicy: { syncOptions: ['CreateNamespace=true'], retry: { limit: 2 } } },
  );
  const request = (choices: Partial<SyncChoices>) =>
    planOf(own, items, { ...firstChoices(own), ...choices }).request;
  expect(request({})).toEqual({ prune: false, dryRun: false, strategy: { hook: {} } });
  const options = withPropagation(withOption(firstChoices(own).options, 'Replace=true', true), 'orphan');
  expect(request({ revisions: ['v2'], retries: '5', options })).toMatchObject({
    revision: 'v2',
    retryStrategy: { limit: 5 },
    syncOptions: { items: ['CreateNamespace=true', 'Replace=true', 'PrunePropagationPolicy=orphan'] },
  });
});

test('of several sources, each can have another revision', () => {
  const sources = ['a', 'b', 'c'].map((path) => ({ repoURL: 'https://git.example.com/shop', path }));
  const many = sampleApplication({}, { sources });
  const request = (revisions: string[]) => planOf(many, items, { ...firstChoices(many), revisions }).request;
  expect(request(['', 'v2', 'v3'])).toMatchObject({ revisions: ['v2', 'v3'], sourcePositions: [2, 3] });
  expect(request(['', ''])).not.toHaveProperty('revisions');
});

test('a sync of nothing, or with nonsense for a number, is not offered', () => {
  const all = new Set(items.map(({ name }) => key(name)));
  expect(choose({ without: all }).why).toBe('Choose at least one resource.');
  expect(choose({ retries: 'many' }).why).toBe('The number of retries is no whole number.');
  expect(choose({}).why).toBeUndefined();
});

test('two revisions differ in what comes, what changes and what goes', () => {
  const map = (name: string, value: string) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } });
  const changes = revisionChanges(
    [map('a', '1'), map('b', '1'), map('c', '1')],
    [map('a', '1'), map('b', '2'), map('d', '1')],
  );
  expect(changes.map(({ deed, name }) => `${deed} ${name}`)).toEqual(['change b', 'create d', 'prune c']);
});
