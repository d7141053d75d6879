import { dnsSubdomainProblems, labelKeyProblems, quantityOf } from '#base/model';
import { equal } from '#base/std';
import type { FieldCheck } from './check.ts';

const leastLifetime = 600;
const mostLifetime = 2 ** 32;

export function checkCsiDriver(object: FieldCheck): void {
  const spec = object.field('spec');
  // compat cluster 3.13: the real server spells it like this
  if (spec.field('attachRequired').value === undefined) spec.field('attachedRequired').lacking();
  for (const field of ['podInfoOnMount', 'storageCapacity']) {
    if (spec.field(field).value === undefined) spec.field(field).lacking();
  }
  spec.field('fsGroupPolicy').oneOf(['File', 'None', 'ReadWriteOnceWithFSType']);
  checkTokenRequests(spec.field('tokenRequests'));
  const modes = spec.field('volumeLifecycleModes');
  for (const mode of modes.items()) {
    if (!['Persistent', 'Ephemeral'].includes(mode.text)) {
      modes.unsupported(['Persistent', 'Ephemeral'], mode.value);
    }
  }
  const period = spec.field('nodeAllocatableUpdatePeriodSeconds');
  if (typeof period.value === 'number' && period.value < 10) {
    period.invalid('must be greater than or equal to 10 seconds');
  }
}

function checkTokenRequests(requests: FieldCheck): void {
  const seen = new Set<string>();
  for (const request of requests.items()) {
    const audience = request.field('audience');
    if (seen.has(audience.text)) {
      audience.duplicate(audience.text);
      continue;
    }
    seen.add(audience.text);
    const lifetime = request.field('expirationSeconds');
    const seconds = Number(lifetime.value ?? leastLifetime);
    if (seconds < leastLifetime) lifetime.invalid('may not specify a duration less than 10 minutes');
    if (seconds > mostLifetime) lifetime.invalid('may not specify a duration larger than 2^32 seconds');
  }
}

export function keepCsiDriver(next: FieldCheck, live: FieldCheck): void {
  const [spec, old] = [next.field('spec'), live.field('spec')];
  spec
    .at('.attachedRequired', spec.field('attachRequired').value)
    .immutable(old.field('attachRequired').value);
  spec.field('volumeLifecycleModes').immutable(old.field('volumeLifecycleModes').value);
}

export function checkProvisioner(provisioner: FieldCheck): void {
  if (!provisioner.isSet) {
    provisioner.lacking();
    return;
  }
  const lower = provisioner.text.toLowerCase();
  for (const problem of labelKeyProblems(lower)) provisioner.invalid(problem, lower);
}

export function checkVolumeAttributesClass(object: FieldCheck): void {
  checkProvisioner(object.field('driverName'));
  const parameters = object.field('parameters');
  if (Object.hasOwn(parameters.object, '')) parameters.invalid('field can not be empty.', '');
  if (Object.keys(parameters.object).length === 0) {
    parameters.lacking('must contain at least one key/value pair');
  }
}

export function keepVolumeAttributesClass(next: FieldCheck, live: FieldCheck): void {
  for (const field of ['driverName', 'parameters']) {
    if (!equal(next.field(field).value, live.field(field).value)) {
      next.field(field).forbidden(`updates to ${field} are forbidden.`);
    }
  }
}

export function checkVolumeAttachment(object: FieldCheck): void {
  const spec = object.field('spec');
  const attacher = spec.field('attacher');
  if (!attacher.isSet) attacher.lacking();
  else attacher.problems(dnsSubdomainProblems(attacher.text.toLowerCase()));
  const source = spec.field('source');
  const [inline, named] = [source.field('inlineVolumeSpec'), source.field('persistentVolumeName')];
  const both = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline.value === undefined && named.value === undefined) source.lacking(both);
  else if (inline.value !== undefined && named.value !== undefined) source.forbidden(both);
  else if (named.value === '') named.lacking('must specify non empty persistentVolumeName');
  const node = spec.field('nodeName');
  node.problems(dnsSubdomainProblems(node.text));
}

export function keepVolumeAttachment(next: FieldCheck, live: FieldCheck): void {
  const spec = next.field('spec');
  if (equal(spec.value, live.field('spec').value)) return;
  const { attacher = '', nodeName = '' } = spec.object;
  const { persistentVolumeName = null, inlineVolumeSpec = null } = spec.field('source').object;
  const source = { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec };
  spec.invalid('field is immutable', { Attacher: attacher, Source: source, NodeName: nodeName });
}

/** Whether an amount is positive. */
export function isPositive(amount: unknown): boolean {
  const quantity = quantityOf(amount);
  return quantity !== undefined && !/^-|^0(?:\.0*)?[a-zA-Z]*$/.test(String(amount));
}
