import { describe, expect, test } from 'vitest';
import {
  annotation,
  annotationList,
  cascadePolicy,
  commaList,
  finalizer,
  hasOption,
  hydrateRequest,
  optionValue,
  parseBool,
  refreshRequest,
  skipsReconcile,
  syncOptionsOf,
  syncWaveOf,
} from './annotations.ts';
import type { KubeObject } from './kube-object.ts';
import { controllerOf, controllerReference, isOwned, isOwnedBy, refersTo } from './owner.ts';

const object = (annotations: Record<string, string> = {}, finalizers: string[] = []): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', annotations, finalizers },
});

describe('comma lists (A-27)', () => {
  test('are split, trimmed, without empties and repeats', () => {
    expect(commaList(' a, b,,a ,c=d ')).toEqual(['a', 'b', 'c=d']);
    expect(commaList(undefined)).toEqual([]);
    expect(annotationList(object({ x: 'a,b' }), 'x')).toEqual(['a', 'b']);
  });
  test('options match by exact text, and the first value wins', () => {
    const options = syncOptionsOf(
      object({ [annotation.syncOptions]: 'Prune=false, Prune=true,Validate=false' }),
    );
    expect(hasOption(options, 'Prune=false')).toBe(true);
    expect(hasOption(options, 'prune=false')).toBe(false);
    expect(optionValue(options, 'Prune')).toBe('false');
    expect(optionValue(options, 'PruneLast')).toBeUndefined();
    expect(optionValue(undefined, 'Prune')).toBeUndefined();
    expect(hasOption(undefined, 'Prune=false')).toBe(false);
  });
});

test('the wave is the annotation, else the Helm weight, else 0 (S-14)', () => {
  expect(syncWaveOf(object({ [annotation.syncWave]: '-5', [annotation.helmHookWeight]: '3' }))).toBe(-5);
  expect(syncWaveOf(object({ [annotation.syncWave]: 'soon', [annotation.helmHookWeight]: '3' }))).toBe(3);
  expect(syncWaveOf(object({ [annotation.helmHookWeight]: '1.5' }))).toBe(0);
  expect(syncWaveOf(object())).toBe(0);
});
test('a refresh is hard only when it says hard', () => {
  expect(refreshRequest(object({ [annotation.refresh]: 'hard' }))).toBe('hard');
  expect(refreshRequest(object({ [annotation.refresh]: 'anything' }))).toBe('normal');
  expect(refreshRequest(object())).toBeUndefined();
  expect(hydrateRequest(object({ [annotation.hydrate]: 'hard' }))).toBe('hard');
});
test('booleans are read as Go reads them', () => {
  expect(['1', 't', 'T', 'true', 'TRUE', 'True'].map(parseBool)).toEqual(Array(6).fill(true));
  expect(['0', 'f', 'F', 'false', 'FALSE', 'False'].map(parseBool)).toEqual(Array(6).fill(false));
  expect(['yes', '', 'tRUE', undefined].map(parseBool)).toEqual(Array(4).fill(undefined));
  expect(skipsReconcile(object({ [annotation.skipReconcile]: 'True' }))).toBe(true);
  expect(skipsReconcile(object({ [annotation.skipReconcile]: 'maybe' }))).toBe(false);
});
test('the first cascade finalizer decides how managed objects go (A-28)', () => {
  expect(cascadePolicy(object({}, [finalizer.resources]))).toBe('foreground');
  expect(cascadePolicy(object({}, ['other', finalizer.resourcesBackground, finalizer.resources]))).toBe(
    'background',
  );
  expect(cascadePolicy(object({}, [finalizer.postDelete]))).toBeUndefined();
  expect(finalizer.resources).toBe('resources-finalizer.argocd.argoproj.io');
});

describe('owners', () => {
  const owner: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', uid: 'u1' },
  };
  const owned = (uid: string, name = 'web'): KubeObject => ({
    ...object(),
    metadata: { name: 'p', ownerReferences: [{ ...controllerReference(owner), uid, name }] },
  });
  test('are recognised by uid, or by name where a uid is missing', () => {
    expect(isOwnedBy(owned('u1', 'renamed'), owner)).toBe(true);
    expect(isOwnedBy(owned('u2'), owner)).toBe(false);
    expect(isOwnedBy(owned(''), owner)).toBe(true);
    expect(refersTo({ ...controllerReference(owner), uid: '', apiVersion: 'apps/v1beta1' }, owner)).toBe(
      true,
    );
    expect(refersTo({ ...controllerReference(owner), uid: '', apiVersion: 'v1' }, owner)).toBe(false);
    expect(isOwnedBy(object(), owner)).toBe(false);
  });
  test('control when they say so', () => {
    expect(controllerOf(owned('u1'))).toMatchObject({
      kind: 'ReplicaSet',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(controllerOf(object())).toBeUndefined();
    expect([isOwned(owned('u1')), isOwned(object())]).toEqual([true, false]);
  });
});
