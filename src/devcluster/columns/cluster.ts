import type { Item } from '../item.ts';
import {
  age,
  type Column,
  integer,
  list,
  name,
  num,
  orNone,
  since,
  size,
  spec,
  status,
  str,
  strings,
  text,
  type View,
  view,
  wide,
} from './column.ts';

const webhooks = [name, integer('Webhooks', (item) => list(item.webhooks).length), age];

export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  '/namespaces': [name, text('Status', (item) => str(status(item).phase)), age],
  '/configmaps': [name, integer('Data', (item) => size(item.data) + size(item.binaryData)), age],
  '/secrets': [name, text('Type', (item) => str(item.type)), integer('Data', (item) => size(item.data)), age],
  '/serviceaccounts': [name, age],
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
    wide('Source', (item) =>
      [str(view(item.source).component), str(view(item.source).host)].filter(Boolean).join(', '),
    ),
    text('Message', (item) => str(item.message).trim()),
    wide('First Seen', (item, now) => since(item.firstTimestamp ?? item.eventTime, now)),
    wide('Count', (item) => String(num(view(item.series).count ?? item.count ?? 1))),
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
    { ...text('Global-Default', (item) => item.globalDefault === true), type: 'boolean' },
    age,
    text('PreemptionPolicy', (item) => str(item.preemptionPolicy)),
  ],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'rbac.authorization.k8s.io/rolebindings': bindingColumns(),
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns(),
  'rbac.authorization.k8s.io/roles': createdAt(),
  'rbac.authorization.k8s.io/clusterroles': createdAt(),
  'apiextensions.k8s.io/customresourcedefinitions': createdAt(),
  'apiregistration.k8s.io/apiservices': [
    name,
    text('Service', (item) => serviceOf(view(spec(item).service))),
    text('Available', (item) =>
      str(list(status(item).conditions).find((c) => c.type === 'Available')?.status),
    ),
    age,
  ],
};

/** compat appendix B: these print the time itself, not how long ago. */
function createdAt(): Column[] {
  const cell = (item: Item) => str(item.metadata.creationTimestamp);
  return [name, { ...age, name: 'Created At', cell }];
}

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

const serviceOf = ({ namespace, name: service }: View): string =>
  service === undefined ? 'Local' : `${str(namespace)}/${str(service)}`;

const involved = (item: Item): View => view(item.involvedObject ?? item.regarding);

const lastSeen = (item: Item): unknown =>
  view(item.series).lastObservedTime ?? item.lastTimestamp ?? item.eventTime ?? item.firstTimestamp;

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

export const storageColumns: Readonly<Record<string, readonly Column[]>> = {
  '/persistentvolumes': [
    name,
    text('Capacity', (item) => str(view(spec(item).capacity).storage)),
    text('Access Modes', (item) => accessModes(spec(item).accessModes)),
    text('Reclaim Policy', (item) => str(spec(item).persistentVolumeReclaimPolicy)),
    text('Status', (item) => phase(item)),
    text('Claim', (item) => claim(view(spec(item).claimRef))),
    text('StorageClass', (item) => str(spec(item).storageClassName)),
    text('VolumeAttributesClass', (item) => str(spec(item).volumeAttributesClassName) || '<unset>'),
    text('Reason', (item) => str(status(item).reason)),
    age,
    wide('VolumeMode', (item) => str(spec(item).volumeMode) || '<unset>'),
  ],
  '/persistentvolumeclaims': [
    name,
    text('Status', (item) => phase(item)),
    text('Volume', (item) => str(spec(item).volumeName)),
    text('Capacity', (item) => str(view(status(item).capacity).storage)),
    text('Access Modes', (item) => accessModes(status(item).accessModes)),
    text('StorageClass', (item) => str(spec(item).storageClassName)),
    text('VolumeAttributesClass', (item) => str(spec(item).volumeAttributesClassName) || '<unset>'),
    age,
    wide('VolumeMode', (item) => str(spec(item).volumeMode) || '<unset>'),
  ],
  'storage.k8s.io/storageclasses': [
    { ...name, cell: storageClassName },
    text('Provisioner', (item) => str(item.provisioner)),
    text('ReclaimPolicy', (item) => str(item.reclaimPolicy) || 'Delete'),
    text('VolumeBindingMode', (item) => str(item.volumeBindingMode) || '<unset>'),
    { ...text('AllowVolumeExpansion', (item) => item.allowVolumeExpansion === true), type: 'boolean' },
    age,
  ],
};

const phase = (item: Item): string =>
  item.metadata.deletionTimestamp === undefined ? str(status(item).phase) : 'Terminating';

const claim = ({ namespace, name: object }: View): string =>
  object === undefined ? '' : `${str(namespace)}/${str(object)}`;

const modes: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const accessModes = (value: unknown): string =>
  [...new Set(strings(value))].map((mode) => modes[mode] ?? mode).join(',');

function storageClassName(item: Item): string {
  const isDefault = item.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return `${item.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
}
