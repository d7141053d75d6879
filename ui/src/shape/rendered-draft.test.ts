import { expect, test } from 'vitest';
import { draftEffect } from './rendered-draft.ts';
import { sampleApplication } from './sample-application.ts';

const manifest = (name: string, data = '') =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { data } });
const byHand = sampleApplication();
const automated = sampleApplication({}, { syncPolicy: { automated: {} } });

test('a new application says what it renders, and that nothing of it is in the cluster', () => {
  const { summary, changes } = draftEffect({ before: [], after: [manifest('a')], type: 'Helm' }, byHand);
  expect(summary).toBe(
    'It renders 1 resource (Helm). Nothing of it reaches the cluster before the next sync.',
  );
  expect(changes.map(({ deed, name }) => `${deed} ${name}`)).toEqual(['create a']);
});

test('an edit says what comes, changes and leaves, and that auto-sync applies it at once', () => {
  const before = [manifest('same'), manifest('a'), manifest('gone')];
  const after = [manifest('same'), manifest('a', 'x'), manifest('fresh'), manifest('other')];
  const { summary } = draftEffect({ before, after, type: 'Helm' }, automated);
  expect(summary).toBe(
    'Of 4 resources, 2 come, 1 changes, 1 leaves. Auto-sync is on: it applies this as soon as it is saved.',
  );
});

test('an edit without an effect says so', () => {
  const both = [manifest('a')];
  expect(draftEffect({ before: both, after: both, type: 'Helm' }, automated).summary).toBe(
    'It still renders the same 1 resource.',
  );
});
