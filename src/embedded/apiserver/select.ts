import {
  type FieldSelector,
  fieldText,
  type KubeObject,
  matches,
  matchesFields,
  parseFieldSelector,
  parseSelector,
  type Selector,
} from '#base/model';
import { FairleadError } from '#base/std';
import type { Item } from './item.ts';
import type { ServedResource } from './kinds.ts';
import { badRequest, type StatusError } from './status.ts';

export type ObjectFilter = (item: Item) => boolean;

/** Fields that may be selected by, beyond metadata.name and metadata.namespace. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  '/secrets': ['type'],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/replicationcontrollers': ['status.replicas'],
  'apps/replicasets': ['status.replicas'],
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
};

/** Selectable names that differ from the path of their field. */
const aliases: Readonly<Record<string, string>> = {
  'status.successful': 'status.succeeded',
  source: 'source.component',
};
/** compat cluster 3.4: the value that Kubernetes assumes for an absent field. */
const absent: Readonly<Record<string, string>> = {
  'spec.hostNetwork': 'false',
  'spec.unschedulable': 'false',
  'status.replicas': '0',
  'status.successful': '0',
};

/** The selectors of one request, as texts. */
type Texts = { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined };
/** The same, parsed. */
type Selectors = { readonly labels: Selector; readonly fields: FieldSelector };

/** The selectors of one request together; undefined when everything matches. Throws BadRequest for invalid ones. */
export const parseSelectors = (resource: ServedResource, texts: Texts): ObjectFilter | undefined =>
  matchOf(resource, readSelectors(texts));

/** Throws BadRequest for an invalid selector. */
export function readSelectors({ labelSelector = '', fieldSelector = '' }: Texts): Selectors {
  const labels = orBadRequest(
    () => parseSelector(labelSelector),
    (message) => labelComplaint(labelSelector, message),
  );
  return { labels, fields: orBadRequest(() => parseFieldSelector(fieldSelector), fieldComplaint) };
}

/**
 * The selectors applied to a kind. compat cluster 3.4: a field that is not selectable is an error, not a mismatch.
 */
export function matchOf(resource: ServedResource, { labels, fields }: Selectors): ObjectFilter | undefined {
  for (const { field } of fields) if (!isSelectable(field, resource)) throw notSelectable(field, resource);
  const hasLabels: ObjectFilter = ({ metadata }) => matches(labels, metadata.labels);
  const hasFields: ObjectFilter = (item) => matchesFields(fields, (field) => textOf(item, field));
  if (labels.length === 0) return fields.length === 0 ? undefined : hasFields;
  return fields.length === 0 ? hasLabels : (item) => hasLabels(item) && hasFields(item);
}

function isSelectable(field: string, { collection, custom }: ServedResource): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  return selectable[collection]?.includes(field) || custom?.selectableFields.includes(field) || false;
}

function textOf(item: Item, field: string): string {
  return fieldText(item as KubeObject, aliases[field] ?? field) || (absent[field] ?? '');
}

/** compat cluster 3.4: kinds with selectable fields of their own have another message than those without. */
function notSelectable(field: string, { collection, custom }: ServedResource): StatusError {
  return badRequest(
    custom || selectable[collection]
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** compat cluster 3.4: Kubernetes' message instead of ours, which also has the position. */
function labelComplaint(text: string, message: string): string {
  const [, place = '1', why = message] = /at character (\d+): (.*)$/s.exec(message) ?? [];
  const at = Number(place) - 1;
  const found = why.replace("found 'end of string'", "found ''");
  if (found.endsWith("expected: ','")) return `${found} or 'end of string'`;
  if (found.endsWith('expected: !, identifier, or end of string')) {
    const what = found.slice(0, found.indexOf('expected:'));
    const isFirst = text.slice(0, at).trim() === '';
    return `${what}expected: ${isFirst ? "!, identifier, or 'end of string'" : "identifier after ','"}`;
  }
  return `unable to parse requirement: ${requirementComplaint(text, at, found)}`;
}

/** Whether parsing stopped where another value could follow. */
const isListOpen = (before: string): boolean => /[(,]\s*$/.test(before);

function requirementComplaint(text: string, at: number, why: string): string {
  const [, key = '', , operand = ''] =
    /^\s*([^=!(),<> \t\r\n]*)\s*([=!<>]*)\s*([^,]*)/.exec(text.slice(at)) ?? [];
  return why
    .replace(/expected: one of .*$/s, 'expected: in, notin, =, ==, !=, gt, lt')
    .replace(/^label selector: key ("[^"]*") /, '<nil>: Invalid value: $1: ')
    .replace(/^label selector: value ("[^"]*") /, `values[0][${key}]: Invalid value: $1: `)
    .replace(/^label selector on "[^"]*": /, `values[0]: Invalid value: ${JSON.stringify(operand.trim())}: `)
    .replace(", expected: '('", " expected: '('")
    .replace(
      "expected: ',' or ')'",
      isListOpen(text.slice(0, at)) ? "expected: ',', ')' or identifier" : '$&',
    );
}

const fieldComplaint = (message: string): string =>
  message
    .replace(
      /^invalid field selector (".*") at character \d+: (can't understand '.*'), expected .*$/s,
      (_, text: string, why: string) => `invalid selector: '${text.slice(1, -1)}'; ${why}`,
    )
    .replace(/^invalid field selector ".*" at character \d+: /s, 'invalid field selector: ')
    .replace(/(?<=unescaped character in value: )(.)$/, (char) => String(char.codePointAt(0)));

function orBadRequest<T>(read: () => T, complaint: (message: string) => string): T {
  try {
    return read();
  } catch (error) {
    throw badRequest(complaint(FairleadError.from(error).message));
  }
}
