import { compareQuantities, dnsSubdomainProblems, quantityOf } from '#base/model';
import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { FieldCheck } from './check.ts';
import { checkProvisioner } from './csi.ts';
import { goDiff } from './go-diff.ts';

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function checkModes(list: FieldCheck, why: string): void {
  const given = list.items();
  if (given.length === 0) list.lacking(why);
  for (const mode of given) if (!modes.includes(mode.text)) list.unsupported(modes, mode.value);
  if (given.length > 1 && given.some((mode) => mode.value === 'ReadWriteOncePod')) {
    list.forbidden('may not use ReadWriteOncePod with other access modes');
  }
}

export function checkClaim(claim: FieldCheck): void {
  const spec = claim.field('spec');
  checkModes(spec.field('accessModes'), 'at least 1 access mode is required');
  const storage = spec.field('resources').field('requests').object.storage;
  const requested = spec.field('resources').at('[storage]', storage);
  if (storage === undefined) requested.lacking();
  else if (compareQuantities(quantityOf(storage) ?? 0, 0) <= 0)
    requested.invalid('must be greater than zero');
  const name = spec.field('storageClassName');
  if (name.isSet) name.problems(dnsSubdomainProblems(name.text));
  spec.field('volumeMode').oneOf(['Block', 'Filesystem']);
}

export function keepClaim(next: FieldCheck, live: FieldCheck): void {
  const isBound = live.field('status').field('phase').value === 'Bound';
  const fixed = (claim: FieldCheck) => {
    const { resources, volumeAttributesClassName, volumeName, ...rest } = claim.field('spec').object;
    // of an unbound claim only the binding may change
    return isBound ? rest : { ...rest, resources, volumeAttributesClassName };
  };
  if (!equal(fixed(next), fixed(live))) {
    next
      .field('spec')
      .forbidden(
        `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims${goDiff(inGo(live), inGo(next))}`,
      );
    return;
  }
  keepSize(next, live, isBound);
}

/** A claim in the spelling of Go's struct. */
function inGo(claim: FieldCheck): JsonObject {
  const { accessModes, selector, resources, volumeName, storageClassName, volumeMode, dataSource, ...rest } =
    claim.field('spec').object;
  const { limits, requests } = (isObject(resources) ? resources : {}) as JsonObject;
  return {
    AccessModes: accessModes ?? [],
    Selector: selector ?? null,
    Resources: { Limits: sorted(limits), Requests: sorted(requests) },
    VolumeName: volumeName ?? '',
    StorageClassName: storageClassName ?? null,
    VolumeMode: volumeMode ?? null,
    DataSource: dataSource ?? null,
    DataSourceRef: rest.dataSourceRef ?? null,
    VolumeAttributesClassName: rest.volumeAttributesClassName ?? null,
  };
}

const sorted = (amounts: unknown): unknown =>
  isObject(amounts) ? Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1))) : null;

function keepSize(next: FieldCheck, live: FieldCheck, isBound: boolean): void {
  const size = (claim: FieldCheck) =>
    quantityOf(claim.field('spec').field('resources').field('requests').object.storage) ?? 0;
  if (isBound && compareQuantities(size(next), size(live)) < 0) {
    next
      .field('spec')
      .field('resources')
      .field('requests')
      .field('storage')
      .forbidden('field can not be less than status.capacity');
  }
}

const notSources = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

const sourcesOf = (volume: FieldCheck) =>
  Object.entries(volume.field('spec').object).filter(
    ([key, value]) => !notSources.has(key) && isObject(value),
  );

export function checkVolume(volume: FieldCheck): void {
  const spec = volume.field('spec');
  checkModes(spec.field('accessModes'), '');
  const capacity = spec.field('capacity');
  if (Object.keys(capacity.object).length === 0) capacity.lacking();
  if (Object.keys(capacity.object).join() !== 'storage')
    capacity.unsupported(['storage'], capacity.value ?? null);
  spec.field('persistentVolumeReclaimPolicy').oneOf(['Delete', 'Recycle', 'Retain']);
  const sources = sourcesOf(volume);
  if (sources.length === 0) spec.lacking('must specify a volume type');
  for (const [key] of sources.slice(1)) {
    spec.field(key === 'cephfs' ? 'cephFS' : key).forbidden('may not specify more than 1 volume type');
  }
  spec.field('volumeMode').oneOf(['Block', 'Filesystem']);
  const path = spec.field('hostPath').field('path');
  if (path.text.split('/').includes('..')) path.invalid("must not contain '..'");
}

export function keepVolume(next: FieldCheck, live: FieldCheck): void {
  if (equal(sourcesOf(next), sourcesOf(live))) return;
  next
    .field('spec')
    .field('persistentvolumesource')
    .forbidden('spec.persistentvolumesource is immutable after creation');
}

export function checkStorageClass(object: FieldCheck): void {
  checkProvisioner(object.field('provisioner'));
  const parameters = object.field('parameters');
  if (Object.hasOwn(parameters.object, '')) parameters.invalid('field can not be empty.', '');
  object.field('reclaimPolicy').oneOf(['Delete', 'Retain']);
  object.field('volumeBindingMode').oneOf(['Immediate', 'WaitForFirstConsumer']);
}

export function keepStorageClass(next: FieldCheck, live: FieldCheck): void {
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    next.field(field).immutable(live.field(field).value);
  }
}
