import { dnsLabelProblems } from '#base/model';
import type { FieldCheck } from './check.ts';
import { isPositive } from './csi.ts';
import { checkSegment } from './network.ts';

const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

export function checkAutoscaler(object: FieldCheck): void {
  const spec = object.field('spec');
  const { minReplicas = 1, maxReplicas = 0 } = spec.object as { minReplicas?: number; maxReplicas?: number };
  if (minReplicas < 1) spec.field('minReplicas').invalid('must be greater than or equal to 1');
  const most = spec.field('maxReplicas');
  if (maxReplicas === 0) most.lacking('must be set and greater than 0');
  else if (maxReplicas < 0) most.invalid('must be greater than or equal to 1');
  if (maxReplicas < minReplicas) most.invalid('must be greater than or equal to `minReplicas`', maxReplicas);
  checkTarget(spec.field('scaleTargetRef'));
  const metrics = [spec.field('metrics').items(), v1Metric(spec)].flat();
  for (const metric of metrics) checkMetric(metric);
  const canWake = metrics.some(({ object: { type } }) => type === 'Object' || type === 'External');
  if (minReplicas === 0 && !canWake) {
    spec
      .field('metrics')
      .forbidden('must specify at least one Object or External metric to support scaling to zero replicas');
  }
  for (const direction of ['scaleUp', 'scaleDown']) checkBehavior(spec.field('behavior').field(direction));
}

/** compat cluster 3.12: version 1 has one metric, in a field of its own. */
function v1Metric(spec: FieldCheck): FieldCheck[] {
  const averageUtilization = spec.object.targetCPUUtilizationPercentage;
  if (averageUtilization === undefined) return [];
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization } };
  return [spec.field('metrics').at('[0]', { type: 'Resource', resource })];
}

function checkTarget(target: FieldCheck, mayLackGroup = false): void {
  for (const field of ['kind', 'name']) checkSegment(target.field(field));
  const version = target.field('apiVersion');
  const parts = version.text.split('/');
  if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`);
  else if (parts.length < 2 && !mayLackGroup) {
    version.invalid('apiVersion must specify API group', version.text);
  }
}

/** compat cluster 3.13: of the sources given, the first in this order is validated. */
const metricSources = ['object', 'external', 'pods', 'resource', 'containerResource'];

function checkMetric(metric: FieldCheck): void {
  const type = metric.field('type');
  const expected = sources[type.text];
  if (!type.isSet) type.lacking('must specify a metric source type');
  if (expected === undefined) type.unsupported(Object.keys(sources), type.text);
  const given = metricSources.filter((field) => metric.field(field).isSet);
  const [first] = given;
  if (first !== undefined) checkSource(metric.field(first), first);
  if (expected === undefined) type.unsupported(Object.keys(sources), type.text);
  else if (!metric.field(expected).isSet) {
    metric.field(expected).lacking('must populate information for the given metric source');
  }
  if (given.length < 2) return;
  for (const field of given.filter((one) => one !== expected)) {
    metric.field(field).forbidden('must populate the given metric source only');
  }
}

function checkSource(source: FieldCheck, field: string): void {
  const target = source.field('target');
  if (field === 'resource' || field === 'containerResource') {
    checkResource(source, field);
    checkAim(target);
    checkShare(target);
    return;
  }
  if (field === 'object') checkTarget(source.field('describedObject'), true);
  const name = source.field('metric').field('name');
  if (name.isSet) checkSegment(name);
  else name.lacking('must specify a metric name');
  checkAim(target);
  checkValue(target, field);
}

function checkShare(target: FieldCheck): void {
  const { averageUtilization, averageValue } = target.object;
  if (averageUtilization === undefined && averageValue === undefined) {
    target.field('averageUtilization').lacking('must set either a target raw value or a target utilization');
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    target.field('averageValue').forbidden('may not set both a target raw value and a target utilization');
  }
}

function checkValue(target: FieldCheck, field: string): void {
  const { averageValue, value } = target.object;
  if (averageValue === undefined && (field === 'pods' || value === undefined)) {
    target.field('averageValue').lacking(unset[field]);
  } else if (field === 'external' && averageValue !== undefined && value !== undefined) {
    target.field('value').forbidden('may not set both a target value for metric and a per-pod target');
  }
}

const unset: Readonly<Record<string, string>> = {
  object: 'must set either a target value or averageValue',
  external: 'must set either a target value for metric or a per-pod target',
  pods: 'must specify a positive target averageValue',
};

function checkResource(source: FieldCheck, field: string): void {
  const name = source.field('name');
  if (!name.isSet) name.lacking('must specify a resource name');
  else if (field === 'containerResource' && !isResource(name.text)) {
    name.invalid('must be a standard resource type or fully qualified');
    name.invalid('must be a standard resource for containers');
  }
  if (field === 'resource') return;
  const container = source.field('container');
  if (container.isSet) container.problems(dnsLabelProblems(container.text));
  else container.lacking('must specify a container');
}

const isResource = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || /^hugepages-|\//.test(name);

function checkAim(target: FieldCheck): void {
  const type = target.field('type');
  if (!type.isSet) type.lacking('must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type.text)) {
    type.invalid('must be either Utilization, Value, or AverageValue', type.text);
  }
  for (const field of ['value', 'averageValue']) {
    const amount = target.field(field);
    if (amount.value !== undefined && !isPositive(amount.value)) amount.invalid('must be positive');
  }
  const share = target.field('averageUtilization');
  if (typeof share.value === 'number' && share.value < 1) share.invalid('must be greater than 0');
}

function checkBehavior(rules: FieldCheck): void {
  if (!rules.isSet) return;
  const window = rules.field('stabilizationWindowSeconds');
  if (Number(window.value ?? 0) < 0) window.invalid('must be greater than or equal to zero');
  if (Number(window.value ?? 0) > 3600) window.invalid('must be less than or equal to 3600');
  rules.field('selectPolicy').oneOf(['Disabled', 'Max', 'Min']);
  const policies = rules.field('policies');
  if (policies.items().length === 0) policies.lacking('must specify at least one Policy');
  for (const policy of policies.items()) checkPolicy(policy);
}

function checkPolicy(policy: FieldCheck): void {
  if (!['Percent', 'Pods'].includes(policy.field('type').text)) {
    policy.field('type').unsupported(['Percent', 'Pods'], policy.field('type').text);
  }
  for (const field of ['value', 'periodSeconds']) {
    const { value = 0 } = policy.field(field);
    if (Number(value) <= 0) policy.field(field).invalid('must be greater than zero', value);
  }
  const period = policy.field('periodSeconds');
  if (Number(period.value ?? 0) > 1800) period.invalid('must be less than or equal to 1800');
}
