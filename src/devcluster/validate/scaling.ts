import type { Check } from './check.ts';

const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

export function checkAutoscaler(object: Check): void {
  const spec = object.field('spec');
  const { minReplicas = 1, maxReplicas = 0 } = spec.object as { minReplicas?: number; maxReplicas?: number };
  if (minReplicas < 1) spec.field('minReplicas').invalid('must be greater than or equal to 1');
  const most = spec.field('maxReplicas');
  if (maxReplicas < 1) most.lacking('must be set and greater than 0');
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

/** compat 3.12: version 1 has one metric, which it spells differently. */
function v1Metric(spec: Check): Check[] {
  const averageUtilization = spec.object.targetCPUUtilizationPercentage;
  if (averageUtilization === undefined) return [];
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization } };
  return [spec.field('metrics').at('[0]', { type: 'Resource', resource })];
}

function checkTarget(target: Check): void {
  for (const field of ['kind', 'name']) if (!target.field(field).isSet) target.field(field).lacking();
  const version = target.field('apiVersion');
  if (!version.isSet) version.invalid('apiVersion must specify API group', '');
}

function checkMetric(metric: Check): void {
  const type = metric.field('type').text;
  const source = sources[type];
  if (source === undefined) {
    for (let twice = 0; twice < 2; twice++) metric.field('type').unsupported(Object.keys(sources), type);
    return;
  }
  const body = metric.field(source);
  if (!body.isSet) {
    body.lacking('must populate information for the given metric source');
    return;
  }
  const target = body.field('target');
  const { averageUtilization, averageValue, value } = target.object;
  if (type !== 'Resource' && type !== 'ContainerResource') return;
  if (typeof averageUtilization === 'number' && averageUtilization < 1) {
    target.field('averageUtilization').invalid('must be greater than 0');
  }
  if (averageUtilization === undefined && averageValue === undefined && value === undefined) {
    target.field('averageUtilization').lacking('must set either a target raw value or a target utilization');
  }
}

function checkBehavior(rules: Check): void {
  if (!rules.isSet) return;
  const window = rules.field('stabilizationWindowSeconds');
  if (Number(window.value ?? 0) < 0) window.invalid('must be greater than or equal to zero');
  if (Number(window.value ?? 0) > 3600) window.invalid('must be less than or equal to 3600');
  rules.field('selectPolicy').oneOf(['Disabled', 'Max', 'Min']);
  for (const policy of rules.field('policies').items()) checkPolicy(policy);
}

function checkPolicy(policy: Check): void {
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
