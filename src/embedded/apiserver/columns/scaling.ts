import type { Item } from '../item.ts';
import {
  age,
  type Column,
  type ColumnInput,
  integer,
  list,
  name,
  num,
  spec,
  status,
  str,
  text,
  view,
} from './column.ts';

export const scalingColumns: Readonly<Record<string, readonly Column[]>> = {
  'autoscaling/horizontalpodautoscalers': [
    name,
    text(
      'Reference',
      (item) => `${str(view(spec(item).scaleTargetRef).kind)}/${str(view(spec(item).scaleTargetRef).name)}`,
    ),
    text('Targets', targets),
    text('MinPods', (item) => str(spec(item).minReplicas) || '<unset>'),
    text('MaxPods', (item) => num(spec(item).maxReplicas)),
    text('Replicas', (item) => num(status(item).currentReplicas)),
    age,
  ],
  'policy/poddisruptionbudgets': [
    name,
    text('Min Available', (item) => str(spec(item).minAvailable) || 'N/A'),
    text('Max Unavailable', (item) => str(spec(item).maxUnavailable) || 'N/A'),
    integer('Allowed Disruptions', (item) => num(status(item).disruptionsAllowed)),
    age,
  ],
};

function targets(item: Item): string {
  const current = list(status(item).currentMetrics);
  const all = list(spec(item).metrics).map((metric, index) => target(metric, current[index] ?? {}));
  if (all.length === 0) return '<none>';
  return all.length > 2 ? `${all.slice(0, 2).join(', ')} + ${all.length - 2} more...` : all.join(', ');
}

function target(metric: ColumnInput, current: ColumnInput): string {
  const field = sources[str(metric.type)];
  if (field === undefined) return '<unknown type>';
  const wanted = view(view(metric[field]).target);
  const found = view(view(current[field]).current);
  const label = metric.type === 'Resource' ? `${str(view(metric.resource).name)}: ` : '';
  if (wanted.averageUtilization !== undefined) {
    const now = found.averageUtilization === undefined ? '<unknown>' : `${str(found.averageUtilization)}%`;
    return `${label}${now}/${str(wanted.averageUtilization)}%`;
  }
  const now = str(found.averageValue ?? found.value) || '<unknown>';
  const isAverage = wanted.averageValue !== undefined && said.has(field);
  return `${label}${now}/${str(wanted.averageValue ?? wanted.value)}${isAverage ? ' (avg)' : ''}`;
}

/** The metrics whose value is marked as an average. */
const said = new Set(['external', 'object']);

const sources: Record<string, string> = {
  Resource: 'resource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
  ContainerResource: 'containerResource',
};
