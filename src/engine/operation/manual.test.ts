import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { rollbackOperation, syncProblem } from './manual.ts';

const facts = { mayOverride: true, hasSourceIntegrity: false, replaceAllowed: true };

test.each(cases<string | null>(new URL('./testdata/manual/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, wish } = input[0];
    expect(syncProblem(app, wish, { ...facts, ...input[0].facts }) ?? null).toBe(wanted);
  },
);

const source = { repoURL: 'https://git.example/a', path: 'a' };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { source, destination: {}, syncPolicy: { syncOptions: ['PruneLast=true'] } },
  status: { history: [{ id: 3, revision: 'abc', source, deployedAt: '2026-01-01T00:00:00Z' }] },
};

test('a rollback syncs what was, without hooks, with the options of now (R-45)', () => {
  expect(rollbackOperation(app, { id: 3, prune: true, username: 'eve' })).toEqual({
    sync: {
      revision: 'abc',
      source,
      prune: true,
      syncStrategy: { apply: {} },
      syncOptions: ['PruneLast=true'],
    },
    initiatedBy: { username: 'eve' },
  });
  expect(rollbackOperation(app, { id: 3, dryRun: true, username: '' })).toMatchObject({
    sync: { dryRun: true },
  });
});

test('of many sources all are taken back (R-45)', () => {
  const entry = { id: 4, revisions: ['a', 'b'], sources: [source, source], deployedAt: 'x' };
  const many = { ...app, status: { history: [entry] } };
  expect(rollbackOperation(many, { id: 4, username: '' })).toMatchObject({
    sync: { revisions: ['a', 'b'], sources: [source, source] },
  });
});

test('it is refused under automation, in deletion, and for what never was (R-45, X-37)', () => {
  const automated = { ...app, spec: { ...app.spec, syncPolicy: { automated: {} } } };
  expect(rollbackOperation(automated, { id: 3, username: '' })).toHaveProperty('problem');
  const going = { ...app, metadata: { name: 'app', deletionTimestamp: 'x' } };
  expect(rollbackOperation(going, { id: 3, username: '' })).toHaveProperty('problem');
  expect(rollbackOperation(app, { id: 9, username: '' })).toEqual({
    problem: 'application app has no history entry 9: see app history',
  });
});
