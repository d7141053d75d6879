import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { cases } from '../../../test/cases.ts';
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

const withAnnotations = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', annotations },
});

test.each(cases<Record<string, unknown>>(new URL('./testdata/hooks/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const object = withAnnotations(input[0].annotations);
    expect({
      types: hookTypesOf(object),
      hook: isHook(object),
      ignored: isIgnoredHook(object),
      skipped: isSkipped(object),
      deletes: isDeleteHook(object),
      phases: phasesOf(object),
      policies: deletePoliciesOf(object),
    }).toEqual(wanted);
  },
);

test('the default stands in only where it is asked for (S-9, A-36)', () => {
  expect(
    explicitDeletePoliciesOf(withAnnotations({ 'argocd.argoproj.io/hook-delete-policy': 'Foo' })),
  ).toEqual([]);
});
