import { printJson } from '#base/std';
import type { Form } from './accept.ts';
import { clusterColumns } from './columns/cluster.ts';
import { type Column, createdAt, name } from './columns/column.ts';
import { networkColumns } from './columns/network.ts';
import { podColumns } from './columns/pods.ts';
import { policyColumns } from './columns/policies.ts';
import { scalingColumns } from './columns/scaling.ts';
import { storageColumns } from './columns/storage.ts';
import { workloadColumns } from './columns/workloads.ts';
import { customColumns } from './crd/columns.ts';
import type { ServedResource } from './kinds.ts';
import { fullText, partialText } from './serve/encode.ts';
import type { Stored } from './stored.ts';

const builtin: Readonly<Record<string, readonly Column[]>> = {
  ...workloadColumns,
  ...networkColumns,
  ...clusterColumns,
  ...storageColumns,
  ...scalingColumns,
  ...policyColumns,
  '/pods': podColumns,
};

/** compat cluster 3.19: kinds without columns of their own show when they were created, not how old they are. */
const fallback: readonly Column[] = [name, createdAt];

/** The columns `kubectl get` shows for a resource. */
const columnsOf = (resource: ServedResource): readonly Column[] =>
  resource.custom ? customColumns(resource.custom.columns) : (builtin[resource.collection] ?? fallback);

type TableForm = Extract<Form, { as: 'table' }>;
export type TableRequest = {
  readonly resource: ServedResource;
  readonly form: TableForm;
  readonly now: number;
};

/** A whole response of kind Table. `metadata` is that of the list, or of the single object. */
export function tableText(request: TableRequest, items: readonly Stored[], metadata: object): string {
  const columns = columnsOf(request.resource);
  const definitions = columns.map(({ cell: _cell, ...definition }) => ({ format: '', ...definition }));
  const rows = items.map((stored) => rowText(request, columns, stored));
  return (
    `{"kind":"Table","apiVersion":"meta.k8s.io/${request.form.version}","metadata":${printJson(metadata)},` +
    `"columnDefinitions":${printJson(definitions)},"rows":[${rows.join(',')}]}\n`
  );
}

function rowText(request: TableRequest, columns: readonly Column[], stored: Stored): string {
  const cells = printJson(columns.map((column) => column.cell(stored.item, request.now)));
  return `{"cells":${cells},"object":${objectText(request, stored)}}`;
}

function objectText({ form, resource }: TableRequest, stored: Stored): string {
  if (form.include === 'None') return 'null';
  if (form.include === 'Object') return fullText(stored, resource);
  return partialText(stored, form.version);
}
