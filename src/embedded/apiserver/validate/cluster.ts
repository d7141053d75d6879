import {
  compareQuantities,
  dnsLabelProblems,
  labelKeyProblems,
  type Quantity,
  quantityOf,
  scaledValue,
} from '#base/model';
import type { FieldCheck } from './check.ts';

const mostPriority = 1_000_000_000;
const systemClasses = new Set(['system-cluster-critical', 'system-node-critical']);

export function checkPriorityClass(object: FieldCheck): void {
  const name = object.field('metadata').field('name');
  const isSystem = name.text.startsWith('system-');
  if (isSystem && !systemClasses.has(name.text)) {
    name.forbidden(
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name.text} is not a known system priority class`,
    );
  }
  if (!isSystem && Number(object.field('value').value ?? 0) > mostPriority) {
    object.field('value').forbidden(`maximum allowed value of a user defined priority is ${mostPriority}`);
  }
  object.field('preemptionPolicy').oneOf(['PreemptLowerPriority', 'Never']);
}

export function keepPriorityClass(next: FieldCheck, live: FieldCheck): void {
  if ((next.field('value').value ?? 0) !== (live.field('value').value ?? 0)) {
    next.field('value').forbidden('may not be changed in an update.');
  }
  next.field('preemptionPolicy').immutable(live.field('preemptionPolicy').value);
}

export function checkLease(lease: FieldCheck): void {
  const spec = lease.field('spec');
  const { value } = spec.field('leaseDurationSeconds');
  if (typeof value === 'number' && value <= 0) {
    spec.field('leaseDurationSeconds').invalid('must be greater than 0');
  }
  spec.field('leaseTransitions').notNegative();
}

export function checkEvent(event: FieldCheck): void {
  const namespace = event.field('involvedObject').field('namespace');
  const own = event.field('metadata').field('namespace').text;
  // an event about a cluster-scoped object is in the default namespace
  const fits = namespace.isSet ? namespace.text === own : own === '' || own === 'default';
  if (!fits) namespace.invalid('does not match event.namespace', namespace.text);
}

export function checkRuntimeClass(object: FieldCheck): void {
  const handler = object.field('handler');
  if (handler.isSet) handler.problems(dnsLabelProblems(handler.text));
  else handler.lacking();
}

export function keepRuntimeClass(next: FieldCheck, live: FieldCheck): void {
  next.field('handler').immutable(live.field('handler').value);
}

/** Countable resources, which allow only whole numbers. */
const whole = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);
/** compat cluster 3.13: the resource names of a quota, besides `count/…` and names with a domain. */
const quotaNames = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...whole,
]);
const scopes = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);

export function checkQuota(object: FieldCheck): void {
  const hard = object.field('spec').field('hard');
  for (const name of Object.keys(hard.object)) checkHard(hard.key(name), name);
  const wanted = object.field('spec').field('scopes');
  if (wanted.items().some((scope) => !scopes.has(scope.text))) wanted.invalid('unsupported scope');
}

export function keepQuota(next: FieldCheck, live: FieldCheck): void {
  next.field('spec').field('scopes').immutable(live.field('spec').field('scopes').value);
}

function checkHard(amount: FieldCheck, name: string): void {
  for (const problem of labelKeyProblems(name)) amount.invalid(problem, name);
  if (!name.includes('/') && !quotaNames.has(name) && !/^(?:requests\.)?hugepages-/.test(name)) {
    amount.invalid('must be a standard resource type or fully qualified', name);
    amount.invalid('must be a standard resource for quota', name);
  }
  const quantity = quantityOf(amount.value);
  if (quantity === undefined) return;
  if (compareQuantities(quantity, 0) < 0) amount.invalid('must be greater than or equal to 0');
  if (whole.has(name) && compareQuantities(scaledValue(quantity), quantity) !== 0) {
    amount.invalid('must be an integer');
  }
}

const limitTypes = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

export function checkLimitRange(object: FieldCheck): void {
  for (const limit of object.field('spec').field('limits').items()) {
    const type = limit.field('type');
    for (const problem of labelKeyProblems(type.text)) type.invalid(problem, type.text);
    if (!limitTypes.has(type.text) && !type.text.includes('/') && type.isSet) {
      type.invalid('must be a standard limit type or fully qualified');
    }
    if (type.value === 'Pod') refuseDefaults(limit);
    else checkLimits(limit);
  }
}

function refuseDefaults(limit: FieldCheck): void {
  for (const field of ['default', 'defaultRequest']) {
    if (limit.field(field).isSet) limit.field(field).forbidden("may not be specified when `type` is 'Pod'");
  }
}

function checkLimits(limit: FieldCheck): void {
  const names = new Set(
    ['min', 'max', 'default', 'defaultRequest'].flatMap((field) => Object.keys(limit.field(field).object)),
  );
  for (const name of names) checkLimitsOf(limit, name);
}

function checkLimitsOf(limit: FieldCheck, name: string): void {
  const at = (field: string) => quantityOf(limit.field(field).object[name]);
  const shown = (field: string) => String(limit.field(field).object[name]);
  const exceeds = (a: Quantity | undefined, b: Quantity | undefined) =>
    a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
  const [min, max, usual, request] = ['min', 'max', 'default', 'defaultRequest'].map(at);
  const wrong = (field: string, detail: string, value = shown(field)) =>
    limit.field(field).key(name).invalid(detail, value);
  if (exceeds(min, max)) wrong('min', `min value ${shown('min')} is greater than max value ${shown('max')}`);
  const requests = `default request value ${shown('defaultRequest')}`;
  if (exceeds(min, request)) wrong('defaultRequest', `min value ${shown('min')} is greater than ${requests}`);
  if (exceeds(request, max)) wrong('defaultRequest', `${requests} is greater than max value ${shown('max')}`);
  if (exceeds(request, usual)) {
    wrong('defaultRequest', `${requests} is greater than default limit value ${shown('default')}`);
  }
  if (exceeds(min, usual)) {
    wrong('default', `min value ${shown('min')} is greater than default value ${shown('default')}`);
  }
  if (exceeds(usual, max)) {
    wrong(
      'default',
      `default value ${shown('default')} is greater than max value ${shown('max')}`,
      shown('max'),
    );
  }
}
