import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { openingSentence } from './opening-sentence.ts';
import { sampleApplication, commit as sampleCommit, sampleOperation } from './sample-application.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const words = (app: Application) => textOf(openingSentence({ app, items: [], now, zone: 'UTC' }));

const runsAnother = 'c1d2e3f405162738495a6b7c8d9e0f1a2b3c4d5e';
test('the sentence does not say that it runs a commit since a sync of another one', () => {
  const app = sampleApplication({ sync: { status: 'Synced', revision: runsAnother } });
  expect(words(app)).toBe(
    'payments-api is Healthy and Synced: it matches commit c1d2e3f; ' +
      'the last sync was the auto-sync of 14:01 to commit 3f9c2e1.',
  );
});

test('the sentence does not say that it runs a commit since a sync of a part of it, or a dry run', () => {
  const sync = { revision: sampleCommit, resources: [{ kind: 'Service', name: 'web' }] };
  const part = sampleOperation({ operation: { sync } });
  expect(words(sampleApplication({ operationState: part }))).toContain('it matches commit 3f9c2e1');
  const dry = sampleOperation({ operation: { sync: { dryRun: true } } });
  expect(words(sampleApplication({ operationState: dry }))).toContain('it matches commit 3f9c2e1');
});

test('a commit that was synced again runs since its first sync, as far as the history reaches', () => {
  const entry = (id: number, revision: string, deployedAt: string) => ({ id, revision, deployedAt });
  const again = [
    entry(7, runsAnother, '2026-03-18T12:00:00Z'),
    { ...entry(8, sampleCommit, '2026-03-18T13:00:00Z'), initiatedBy: { username: 'ada' } },
    entry(9, sampleCommit, '2026-03-18T14:01:30Z'),
  ];
  expect(words(sampleApplication({ history: again }))).toContain('since ada’s sync of 13:00.');
  expect(words(sampleApplication({ history: again.slice(1) }))).toMatch(/: it runs commit 3f9c2e1\.$/);
  expect(words(sampleApplication({ history: again.slice(2) }))).not.toContain('since');
});
