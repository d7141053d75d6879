import type { Item } from '../item.ts';
import {
  age,
  boolean,
  type Column,
  type ColumnInput,
  integer,
  list,
  name,
  num,
  orNone,
  shortDuration,
  since,
  size,
  spec,
  status,
  str,
  text,
  view,
  wide,
} from './column.ts';

const webhooks = [name, integer('Webhooks', (item) => list(item.webhooks).length), age];

export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  '/namespaces': [name, text('Status', (item) => str(status(item).phase)), age],
  '/configmaps': [name, text('Data', (item) => size(item.data) + size(item.binaryData)), age],
  '/secrets': [name, text('Type', (item) => str(item.type)), text('Data', (item) => size(item.data)), age],
  '/serviceaccounts': [name, age],
  '/componentstatuses': [
    name,
    text('Status', (item) => (healthOf(item).status === 'True' ? 'Healthy' : 'Unhealthy')),
    text('Message', (item) => str(healthOf(item).message)),
    text('Error', (item) => str(healthOf(item).error)),
  ],
  'node.k8s.io/runtimeclasses': [name, text('Handler', (item) => str(item.handler)), age],
  '/nodes': [
    name,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    age,
    text('Version', (item) => str(view(status(item).nodeInfo).kubeletVersion)),
    wide('Internal-IP', (item) => nodeAddress(item, 'InternalIP')),
    wide('External-IP', (item) => nodeAddress(item, 'ExternalIP')),
    wide('OS-Image', (item) => orNone(view(status(item).nodeInfo).osImage)),
    wide('Kernel-Version', (item) => orNone(view(status(item).nodeInfo).kernelVersion)),
    wide('Container-Runtime', (item) => orNone(view(status(item).nodeInfo).containerRuntimeVersion)),
  ],
  '/events': [
    text('Last Seen', (item, now) => since(lastSeen(item), now)),
    text('Type', (item) => str(item.type)),
    text('Reason', (item) => str(item.reason)),
    text('Object', (item) => `${str(involved(item).kind).toLowerCase()}/${str(involved(item).name)}`),
    wide('Subobject', (item) => str(involved(item).fieldPath)),
    wide('Source', source),
    text('Message', (item) => str(item.message).trim()),
    wide('First Seen', (item, now) => since(item.firstTimestamp ?? item.eventTime, now)),
    wide('Count', (item) => num(view(item.series).count ?? item.count ?? 1)),
    { ...name, priority: 1 },
  ],
  '/resourcequotas': [
    name,
    text('Request', (item) => quota(item, (key) => !key.startsWith('limits.'))),
    text('Limit', (item) => quota(item, (key) => key.startsWith('limits.'))),
    age,
  ],
  'coordination.k8s.io/leases': [name, text('Holder', (item) => str(spec(item).holderIdentity)), age],
  'scheduling.k8s.io/priorityclasses': [
    name,
    integer('Value', (item) => num(item.value)),
    boolean('Global-Default', (item) => item.globalDefault === true),
    age,
    text('PreemptionPolicy', (item) => str(item.preemptionPolicy)),
  ],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'rbac.authorization.k8s.io/rolebindings': bindingColumns(),
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns(),
  'certificates.k8s.io/certificatesigningrequests': [
    name,
    age,
    text('SignerName', (item) => orNone(spec(item).signerName)),
    text('Requestor', (item) => str(spec(item).username)),
    text('RequestedDuration', (item) => requestedDuration(item)),
    text('Condition', (item) => requestState(item)),
  ],
  'apiregistration.k8s.io/apiservices': [
    name,
    text('Service', (item) => serviceOf(view(spec(item).service))),
    text('Available', (item) =>
      str(list(status(item).conditions).find((c) => c.type === 'Available')?.status),
    ),
    age,
  ],
};

function bindingColumns(): Column[] {
  const subjects = (kind: string) => (item: Item) =>
    list(item.subjects)
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === 'ServiceAccount' ? `${str(subject.namespace)}/${str(subject.name)}` : str(subject.name),
      )
      .join(', ');
  return [
    name,
    text('Role', (item) => `${str(view(item.roleRef).kind)}/${str(view(item.roleRef).name)}`),
    age,
    wide('Users', subjects('User')),
    wide('Groups', subjects('Group')),
    wide('ServiceAccounts', subjects('ServiceAccount')),
  ];
}

const serviceOf = ({ namespace, name: service }: ColumnInput): string =>
  service === undefined ? 'Local' : `${str(namespace)}/${str(service)}`;

/** The reporter of an event, in the old form or in the new. */
function source(item: Item): string {
  const { component, host } = view(item.source ?? item.deprecatedSource);
  const reported = [str(component) || str(item.reportingComponent ?? item.reportingController)];
  return [...reported, str(host) || str(item.reportingInstance)].filter(Boolean).join(', ');
}

function requestedDuration(item: Item): string {
  const { expirationSeconds } = spec(item);
  return expirationSeconds === undefined ? '<none>' : shortDuration(num(expirationSeconds) * 1000);
}

function requestState(item: Item): string {
  const { conditions, certificate } = status(item);
  const reported = list(conditions).map(({ type }) => str(type));
  const answer = reported.includes('Denied')
    ? 'Denied'
    : reported.includes('Approved')
      ? 'Approved'
      : 'Pending';
  const rest = [...(reported.includes('Failed') ? ['Failed'] : []), ...(str(certificate) ? ['Issued'] : [])];
  return [answer, ...rest].join(',');
}

const involved = (item: Item): ColumnInput => view(item.involvedObject ?? item.regarding);

const lastSeen = (item: Item): unknown =>
  view(item.series).lastObservedTime ?? item.lastTimestamp ?? item.eventTime ?? item.firstTimestamp;

const healthOf = (item: Item): ColumnInput =>
  list(item.conditions).find(({ type }) => type === 'Healthy') ?? {};

function nodeStatus(item: Item): string {
  const ready = list(status(item).conditions).find((condition) => condition.type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec(item).unschedulable === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(item: Item): string {
  const roles = Object.keys(item.metadata.labels ?? {})
    .filter((key) => key.startsWith(rolePrefix) && key.length > rolePrefix.length)
    .map((key) => key.slice(rolePrefix.length));
  return roles.sort().join(',') || '<none>';
}

const nodeAddress = (item: Item, type: string): string =>
  orNone(list(status(item).addresses).find((address) => address.type === type)?.address);

function quota(item: Item, wanted: (key: string) => boolean): string {
  const hard = view(status(item).hard ?? spec(item).hard);
  const used = view(status(item).used);
  const keys = Object.keys(hard).filter(wanted).sort();
  return keys.map((key) => `${key}: ${str(used[key] ?? 0)}/${str(hard[key])}`).join(', ');
}
