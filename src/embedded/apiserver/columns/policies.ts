import type { Item } from '../item.ts';
import { age, type Column, integer, list, name, orNone, spec, status, str, text, view } from './column.ts';

const policy = (title: string, field: string): Column[] => [
  name,
  integer(title, (item) => list(spec(item)[field]).length),
  text('ParamKind', paramKind),
  age,
];

const binding: readonly Column[] = [
  name,
  text('PolicyName', (item) => str(spec(item).policyName)),
  text('ParamRef', paramRef),
  age,
];

/** The columns of admission and device kinds. */
export const policyColumns: Readonly<Record<string, readonly Column[]>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': policy('Mutations', 'mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicies': policy('Validations', 'validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': binding,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': binding,
  'flowcontrol.apiserver.k8s.io/flowschemas': [
    name,
    text('PriorityLevel', (item) => orNone(view(spec(item).priorityLevelConfiguration).name)),
    text('MatchingPrecedence', (item) => spec(item).matchingPrecedence),
    text('DistinguisherMethod', (item) => orNone(view(spec(item).distinguisherMethod).type)),
    age,
    text('MissingPL', dangling),
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': [
    name,
    text('Type', (item) => str(spec(item).type)),
    text('NominalConcurrencyShares', (item) => limited(item).nominalConcurrencyShares ?? '<none>'),
    text('Queues', (item) => queuing(item).queues ?? '<none>'),
    text('HandSize', (item) => queuing(item).handSize ?? '<none>'),
    text('QueueLengthLimit', (item) => queuing(item).queueLengthLimit ?? '<none>'),
    age,
  ],
  'resource.k8s.io/deviceclasses': [name, age],
  'resource.k8s.io/resourceclaimtemplates': [name, age],
  'resource.k8s.io/resourceclaims': [name, text('State', claimState), age],
  'resource.k8s.io/resourceslices': [
    name,
    text('Node', (item) => str(spec(item).nodeName) || '<unset>'),
    text('Driver', (item) => str(spec(item).driver)),
    text('Pool', (item) => str(view(spec(item).pool).name)),
    age,
  ],
};

function paramKind(item: Item): string {
  const { apiVersion, kind } = view(spec(item).paramKind);
  return kind === undefined ? '<unset>' : `${str(apiVersion)}/${str(kind)}`;
}

function paramRef(item: Item): string {
  const { name: object, namespace } = view(spec(item).paramRef);
  if (object === undefined) return '<unset>';
  return `${str(namespace) || '*'}/${str(object)}`;
}

function dangling(item: Item): string {
  const found = list(status(item).conditions).find(({ type }) => type === 'Dangling');
  return str(found?.status) || '?';
}

const limited = (item: Item) => view(spec(item).limited);
const queuing = (item: Item) => view(view(limited(item).limitResponse).queuing);

function claimState(item: Item): string {
  const { allocation, reservedFor } = status(item);
  const isLeaving = item.metadata.deletionTimestamp !== undefined;
  if (allocation === undefined) return isLeaving ? 'deleted' : 'pending';
  const states = [
    ...(isLeaving ? ['deleted'] : []),
    'allocated',
    ...(list(reservedFor).length > 0 ? ['reserved'] : []),
  ];
  return states.join(',');
}
