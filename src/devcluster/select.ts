import {
  fieldText,
  type KubeObject,
  matches,
  matchesFields,
  parseFieldSelector,
  parseSelector,
} from '#model';
import { FairleadError } from '#std';
import type { Item } from './item.ts';
import type { Resource } from './kinds.ts';
import { badRequest, type StatusError } from './status.ts';

export type Match = (item: Item) => boolean;

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

/** Where a selectable name is not the path of its field. */
const aliases: Readonly<Record<string, string>> = {
  'status.successful': 'status.succeeded',
  source: 'source.component',
};
/** compat 3.4: what Kubernetes compares with when the field is absent. */
const absent: Readonly<Record<string, string>> = {
  'spec.hostNetwork': 'false',
  'spec.unschedulable': 'false',
  'status.replicas': '0',
  'status.successful': '0',
};

/** The selectors of one request together; undefined when everything matches. Throws BadRequest for nonsense. */
export function parseSelectors(
  resource: Resource,
  selectors: { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined },
): Match | undefined {
  const labels = labelMatch(selectors.labelSelector ?? '');
  const fields = fieldMatch(selectors.fieldSelector ?? '', resource);
  if (!labels || !fields) return labels ?? fields;
  return (item) => labels(item) && fields(item);
}

function labelMatch(text: string): Match | undefined {
  const selector = orBadRequest(() => parseSelector(text), labelComplaint);
  return selector.length === 0 ? undefined : ({ metadata }) => matches(selector, metadata.labels);
}

/** compat 3.4: a field that cannot be selected by is an error, not a mismatch. */
function fieldMatch(text: string, resource: Resource): Match | undefined {
  const selector = orBadRequest(() => parseFieldSelector(text), fieldComplaint);
  for (const { field } of selector) {
    if (!isSelectable(field, resource)) throw notSelectable(field, resource);
  }
  if (selector.length === 0) return undefined;
  return (item) => matchesFields(selector, (field) => textOf(item, field));
}

function isSelectable(field: string, { shelf, custom }: Resource): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  return selectable[shelf]?.includes(field) || custom?.selectableFields.includes(field) || false;
}

function textOf(item: Item, field: string): string {
  return fieldText(item as KubeObject, aliases[field] ?? field) || (absent[field] ?? '');
}

/** compat 3.4: kinds with selectable fields of their own say it otherwise than those without. */
function notSelectable(field: string, { shelf, custom }: Resource): StatusError {
  return badRequest(
    custom || selectable[shelf]
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** compat 3.4: the words of Kubernetes instead of ours, which also tell the place. */
const labelComplaint = (message: string): string =>
  message
    .replace(/^unable to parse label selector ".*" at character \d+: /s, 'unable to parse requirement: ')
    .replace(/label selector: key ("[^"]*") /, '<nil>: Invalid value: $1: ')
    .replace(", expected: '('", " expected: '('");

const fieldComplaint = (message: string): string =>
  message.replace(
    /^invalid field selector (".*") at character \d+: (can't understand '.*'), expected .*$/s,
    (_, text: string, why: string) => `invalid selector: '${JSON.parse(text)}'; ${why}`,
  );

function orBadRequest<T>(read: () => T, complaint: (message: string) => string): T {
  try {
    return read();
  } catch (error) {
    throw badRequest(complaint(FairleadError.from(error).message));
  }
}
