import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Ctx, type Records, realClock, silent } from '#base/std';
import type { Refresh } from '#engine';
import { type ComparisonRecord, RepositoryGrace } from './repository-grace.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

function recordsOf(): Records<ComparisonRecord> {
  const kept = new Map<string, ComparisonRecord>();
  return {
    get: (_ctx, key) => kept.get(key),
    put: (_ctx, key, value) => void kept.set(key, value),
    delete: (_ctx, key) => void kept.delete(key),
  };
}

const source = { repoURL: 'https://git.example/shop', path: '.' };
const app = (more: { uid?: string; path?: string; revision?: string; project?: string } = {}): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd', uid: more.uid ?? '1' },
    spec: {
      project: more.project ?? 'default',
      source: { ...source, path: more.path ?? '.' },
      destination: { namespace: 'shop' },
    },
    status: { sync: { status: 'Unknown', revision: more.revision ?? 'abc' } },
  }) as Application;

test.each([
  ['the same application', {}, true],
  ['another one of the same name', { uid: '2' }, false],
  ['another source', { path: 'elsewhere' }, false],
  ['another project', { project: 'other' }, false],
  ['a status of another comparison', { revision: 'def' }, false],
])('%s: what the process before compared counts: %s', (_what, more, counts) => {
  const records = recordsOf();
  new RepositoryGrace(() => 0, records).succeeded(ctx, app(), ['abc']);
  const grace = new RepositoryGrace(() => 0, records);
  expect(grace.wasEverCompared(ctx, app(more))).toBe(counts);
  expect(grace.wasCompared(app(more))).toBe(false);
});

test('what this process compared counts more than what the one before did', () => {
  const records = recordsOf();
  const grace = new RepositoryGrace(() => 0, records);
  grace.succeeded(ctx, app(), ['abc']);
  grace.succeeded(ctx, app({ path: 'elsewhere' }), ['abc']);
  expect(grace.wasEverCompared(ctx, app())).toBe(false);
  expect(grace.wasEverCompared(ctx, app({ path: 'elsewhere' }))).toBe(true);
});

test.each([
  ['Synced', true],
  ['OutOfSync', true],
  ['Unknown', false],
  [undefined, false],
] as const)('a failure while the status is %s is excused: %s (R-20)', (status, isExcused) => {
  const { status: _status, ...fresh } = app();
  const known = { ...fresh, ...(status && { status: { sync: { status } } }) } as Application;
  const grace = new RepositoryGrace(() => 180_000);
  const refresh: Refresh = { level: 'tracked', hard: false, why: 'test' };
  expect(grace.isExcused(known, refresh, new Date())).toBe(isExcused);
});

test('a deleted application leaves no record', () => {
  const records = recordsOf();
  const grace = new RepositoryGrace(() => 0, records);
  grace.succeeded(ctx, app(), ['abc']);
  grace.forget(ctx, app());
  expect(new RepositoryGrace(() => 0, records).wasEverCompared(ctx, app())).toBe(false);
});
