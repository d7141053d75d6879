import { expect, test } from 'vitest';
import { annotation, type KubeObject, type ManagedFieldsEntry } from '#base/model';
import { printJson } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { fieldManager } from './field-manager.ts';
import { isChangedSinceApply } from './since-apply.ts';

type Given = {
  fields?: ManagedFieldsEntry['fieldsV1'];
  apiVersion?: string;
  lastApplied?: unknown;
  serverSide?: boolean;
};

/** The live object with the records an apply leaves behind. */
function applied(live: KubeObject, { fields, apiVersion = live.apiVersion, lastApplied }: Given): KubeObject {
  const text = typeof lastApplied === 'string' ? lastApplied : printJson(lastApplied);
  const entry: ManagedFieldsEntry = {
    manager: fieldManager,
    operation: 'Apply',
    apiVersion,
    fieldsType: 'FieldsV1',
    ...(fields && { fieldsV1: fields }),
  };
  const annotations = {
    ...live.metadata.annotations,
    ...(lastApplied !== undefined && { [annotation.lastApplied]: text }),
  };
  return { ...live, metadata: { ...live.metadata, annotations, ...(fields && { managedFields: [entry] }) } };
}

// a key that leaves Git is noticed although the cluster shows no difference
test.each(cases<boolean>(new URL('./testdata/since-apply/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const [target, live, given] = input as [KubeObject, KubeObject, Given];
    const { serverSide = true } = given;
    expect(isChangedSinceApply(target, applied(live, given), { serverSide })).toBe(wanted);
  },
);
