import { expect, test } from 'vitest';
import type { ApplicationSet } from '#base/model';
import { setDeletionEffect } from './application-deletion.ts';
import { declaredSetText, setIn, setStarts, startText } from './set-draft.ts';

test.each(setStarts)('a new set for $label is a set that can be sent', ({ value }) => {
  const set = setIn(startText(value));
  expect(set.spec.generators).toHaveLength(1);
  expect(setIn(declaredSetText(set))).toEqual(set);
});

test('an unknown start is the first one', () => {
  expect(startText('none')).toContain('directories');
});

test('what is missing in a text is named', () => {
  expect(() => setIn('kind: Application')).toThrow('kind ApplicationSet');
  expect(() => setIn('kind: ApplicationSet\nspec: {}')).toThrow('metadata.name');
  expect(() => setIn('kind: ApplicationSet\nmetadata: { name: a }\nspec: {}')).toThrow('spec.generators');
});

test('what the cluster writes is not edited', () => {
  const set = setIn(startText('list'));
  const stored = { ...set, metadata: { ...set.metadata, uid: 'u', resourceVersion: '1' }, status: {} };
  expect(declaredSetText(stored as ApplicationSet)).not.toMatch(/uid|resourceVersion|status/);
});

test('a deletion says beforehand what becomes of applications and resources', () => {
  const set = setIn(startText('list'));
  expect(setDeletionEffect(set, 0)).toBe('It has no applications.');
  expect(setDeletionEffect(set, 2)).toContain('2 applications of it will be deleted, with their resources');
  const kept = { ...set, spec: { ...set.spec, syncPolicy: { preserveResourcesOnDeletion: true } } };
  expect(setDeletionEffect(kept, 1)).toContain('Their resources stay');
});
