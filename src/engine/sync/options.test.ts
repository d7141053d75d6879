import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { needsDeletionConfirmation, pruneModeOf, readSyncOptions } from './options.ts';

const withAnnotations = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', annotations },
});

test('options nobody knows are listed (S-51, X-48)', () => {
  expect(
    readSyncOptions(['Prune=false', 'IgnoreMissingTemplate=true', 'Replace=false', 'prune=true']).unknown,
  ).toEqual(['IgnoreMissingTemplate=true', 'prune=true']);
});

test('propagation is foreground unless it is told otherwise (S-39)', () => {
  expect(readSyncOptions([]).propagation).toBe('foreground');
  expect(readSyncOptions(['PrunePropagationPolicy=orphan']).propagation).toBe('orphan');
  expect(readSyncOptions(['PrunePropagationPolicy=odd']).propagation).toBe('foreground');
});

test('the resource beats the application when a deletion wants confirmation (A-33)', () => {
  const plain = withAnnotations({});
  const free = withAnnotations({ 'argocd.argoproj.io/sync-options': 'Delete=true,Prune=true' });
  expect(needsDeletionConfirmation(plain, ['Delete=confirm'])).toBe(true);
  expect(needsDeletionConfirmation(free, ['Delete=confirm', 'Prune=confirm'])).toBe(false);
  expect(
    needsDeletionConfirmation(withAnnotations({ 'argocd.argoproj.io/sync-options': 'Prune=confirm' }), []),
  ).toBe(true);
});

test('a value nobody acts on is told of like an option nobody knows (S-51)', () => {
  const odd = [
    'CreateNamespace=yes',
    'Prune',
    'Prune=maybe',
    'PrunePropagationPolicy=Foreground',
    'SkipHooks=true',
  ];
  expect(readSyncOptions(odd).unknown).toEqual(odd);
  const known = ['Prune=confirm', 'Delete=false', 'Force=true', 'CreateNamespace=false', 'Replace=false'];
  expect(readSyncOptions(known).unknown).toEqual([]);
});

test('names of the language are no options (S-51)', () => {
  expect(readSyncOptions(['constructor=true', '__proto__=true']).unknown).toHaveLength(2);
});

test.each([
  ['applyOutOfSyncOnly', 'ApplyOutOfSyncOnly=true'],
  ['createNamespace', 'CreateNamespace=true'],
  ['failOnSharedResource', 'FailOnSharedResource=true'],
  ['pruneLast', 'PruneLast=true'],
  ['respectIgnoreDifferences', 'RespectIgnoreDifferences=true'],
  ['skipDryRunOnMissingResource', 'SkipDryRunOnMissingResource=true'],
] as const)('%s is on by %s and by nothing else (A-27, §4.12)', (field, text) => {
  expect(readSyncOptions([])[field]).toBe(false);
  expect(readSyncOptions([text])[field]).toBe(true);
  expect(readSyncOptions([text.toLowerCase(), text.replace('true', 'True'), ` ${text}`])[field]).toBe(false);
});

test('migration is on unless it is switched off (S-50)', () => {
  expect(readSyncOptions([]).migrateClientSideApply).toBe(true);
  expect(readSyncOptions(['ClientSideApplyMigration=false']).migrateClientSideApply).toBe(false);
});

test('what is left on purpose says "no prune", what merely was not asked for does not (S-26)', () => {
  const request = { requested: true, approved: false };
  const kept = pruneModeOf(withAnnotations({}), readSyncOptions(['Prune=false']), request);
  expect(kept).toMatchObject({ do: 'skip', why: expect.stringContaining('no prune') });
  const unasked = pruneModeOf(withAnnotations({}), readSyncOptions([]), { ...request, requested: false });
  expect(unasked).toMatchObject({ do: 'skip', why: expect.not.stringContaining('no prune') });
});
