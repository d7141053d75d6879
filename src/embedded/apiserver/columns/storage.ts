import type { Item } from '../item.ts';
import {
  age,
  boolean,
  type Column,
  type ColumnInput,
  integer,
  list,
  name,
  names,
  spec,
  status,
  str,
  strings,
  text,
  view,
  wide,
} from './column.ts';

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
    text('AllowVolumeExpansion', (item) => item.allowVolumeExpansion === true),
    age,
  ],
  'storage.k8s.io/csidrivers': [
    name,
    boolean('AttachRequired', (item) => spec(item).attachRequired !== false),
    boolean('PodInfoOnMount', (item) => spec(item).podInfoOnMount === true),
    boolean('StorageCapacity', (item) => spec(item).storageCapacity === true),
    text('TokenRequests', (item) => names(list(spec(item).tokenRequests), 'audience') || '<unset>'),
    boolean('RequiresRepublish', (item) => spec(item).requiresRepublish === true),
    text('Modes', (item) => strings(spec(item).volumeLifecycleModes).join(',') || '<none>'),
    age,
  ],
  'storage.k8s.io/csinodes': [name, integer('Drivers', (item) => list(spec(item).drivers).length), age],
  'storage.k8s.io/volumeattachments': [
    name,
    { ...text('Attacher', (item) => str(spec(item).attacher)), format: 'name' },
    text('PV', (item) => str(view(spec(item).source).persistentVolumeName)),
    text('Node', (item) => str(spec(item).nodeName)),
    boolean('Attached', (item) => status(item).attached === true),
    age,
  ],
  'storage.k8s.io/volumeattributesclasses': [name, text('DriverName', (item) => str(item.driverName)), age],
};

const phase = (item: Item): string =>
  item.metadata.deletionTimestamp === undefined ? str(status(item).phase) : 'Terminating';

const claim = ({ namespace, name: object }: ColumnInput): string =>
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
