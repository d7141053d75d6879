import { expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '#base/model';
import { migratedFields } from './migrate.ts';

const from = 'kubectl-client-side-apply';
const theirs = (
  fieldsV1: Record<string, unknown>,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager: from,
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const ours = (fieldsV1: Record<string, unknown>): ManagedFieldsEntry => ({
  ...theirs(fieldsV1),
  manager: 'argocd-controller',
  operation: 'Apply',
});
const other: ManagedFieldsEntry = { ...theirs({ 'f:status': {} }), manager: 'kubelet' };

test('where we own nothing yet, their entry becomes ours (S-50)', () => {
  const fields = { 'f:data': { 'f:a': {} } };
  expect(migratedFields([other, theirs(fields)], [from])).toEqual([ours(fields), other]);
});

test('where we own something, theirs is joined to it and theirs is gone (S-50)', () => {
  const list = [ours({ 'f:data': { 'f:a': {} } }), theirs({ 'f:data': { 'f:b': {} } }), other];
  expect(migratedFields(list, [from])).toEqual([ours({ 'f:data': { 'f:a': {}, 'f:b': {} } }), other]);
});

test('what was written through a subresource, or applied, stays theirs (S-50)', () => {
  const list = [theirs({ 'f:status': {} }, { subresource: 'status' }), theirs({}, { operation: 'Apply' })];
  expect(migratedFields(list, [from])).toBe(list);
});

test('paths of another version are not taken for paths of ours (S-50)', () => {
  const list = [ours({ 'f:data': {} }), theirs({ 'f:old': {} }, { apiVersion: 'v1beta1' })];
  expect(migratedFields(list, [from])).toEqual([ours({ 'f:data': {} })]);
});

test('asked again, there is nothing to take over (S-50)', () => {
  const once = migratedFields([theirs({ 'f:data': {} })], [from]);
  expect(migratedFields(once, [from])).toBe(once);
});
