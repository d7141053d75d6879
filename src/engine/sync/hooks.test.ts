import { expect, test } from 'vitest';
import type { KubeObject } from '#model';
import {
  deletePoliciesOf,
  explicitDeletePoliciesOf,
  hookTypesOf,
  isDeleteHook,
  isHook,
  isIgnoredHook,
  isSkipped,
  phasesOf,
} from './hooks.ts';
import { needsDeletionConfirmation, readSyncOptions } from './options.ts';

const withAnnotations = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', annotations },
});
const argo = (value: string) => withAnnotations({ 'argocd.argoproj.io/hook': value });
const helm = (value: string) => withAnnotations({ 'helm.sh/hook': value });

const both = (own: string, theirs: string) =>
  withAnnotations({ 'argocd.argoproj.io/hook': own, 'helm.sh/hook': theirs });

test.each([
  { name: 'nothing', object: withAnnotations({}), types: [], hook: false, phases: ['Sync'] },
  { name: 'PreSync', object: argo('PreSync'), types: ['PreSync'], hook: true, phases: ['PreSync'] },
  {
    name: 'spaces and repeats',
    object: argo(' PreSync , PostSync,PreSync'),
    types: ['PreSync', 'PostSync'],
    hook: true,
    phases: ['PreSync', 'PostSync'],
  },
  { name: 'unknown', object: argo('Foo'), types: [], hook: true, phases: [] },
  { name: 'Skip', object: argo('Skip'), types: ['Skip'], hook: false, phases: [] },
  {
    name: 'Skip with another',
    object: argo('Skip,Sync'),
    types: ['Skip', 'Sync'],
    hook: true,
    phases: ['Sync'],
  },
  { name: 'delete hooks', object: argo('PostDelete'), types: ['PostDelete'], hook: true, phases: [] },
  { name: 'helm install', object: helm('pre-install'), types: ['PreSync'], hook: true, phases: ['PreSync'] },
  {
    name: 'helm upgrade',
    object: helm('post-upgrade,post-install'),
    types: ['PostSync'],
    hook: true,
    phases: ['PostSync'],
  },
  { name: 'helm delete', object: helm('pre-delete'), types: ['PreDelete'], hook: true, phases: [] },
  { name: 'helm test', object: helm('test'), types: [], hook: true, phases: [] },
  { name: 'helm crd', object: helm('crd-install'), types: [], hook: false, phases: ['Sync'] },
  {
    name: 'argo beats helm',
    object: both('Sync', 'pre-install'),
    types: ['Sync'],
    hook: true,
    phases: ['Sync'],
  },
  {
    name: 'but not for deletion',
    object: both('Sync', 'post-delete'),
    types: ['Sync', 'PostDelete'],
    hook: true,
    phases: ['Sync'],
  },
])('$name (S-7, S-8)', ({ object, types, hook, phases }) => {
  expect(hookTypesOf(object)).toEqual(types);
  expect(isHook(object)).toBe(hook);
  expect(phasesOf(object)).toEqual(phases);
});

test('ignored, skipped and delete hooks are told apart', () => {
  expect(
    [argo('Foo'), argo('Skip'), argo('PreDelete'), argo('PreDelete,Sync')].map((object) => [
      isIgnoredHook(object),
      isSkipped(object),
      isDeleteHook(object),
    ]),
  ).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [false, false, false],
  ]);
});

test.each([
  ['', ['BeforeHookCreation'], []],
  ['Foo', ['BeforeHookCreation'], []],
  ['HookSucceeded,HookFailed', ['HookSucceeded', 'HookFailed'], ['HookSucceeded', 'HookFailed']],
])('delete policy %j (S-9)', (text, effective, explicit) => {
  const object = withAnnotations({ 'argocd.argoproj.io/hook-delete-policy': text });
  expect(deletePoliciesOf(object)).toEqual(effective);
  expect(explicitDeletePoliciesOf(object)).toEqual(explicit);
});

test('the policies of Helm are added (S-9)', () => {
  const object = withAnnotations({
    'argocd.argoproj.io/hook-delete-policy': 'HookFailed',
    'helm.sh/hook-delete-policy': 'hook-succeeded,before-hook-creation',
  });
  expect(deletePoliciesOf(object)).toEqual(['HookFailed', 'HookSucceeded', 'BeforeHookCreation']);
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
