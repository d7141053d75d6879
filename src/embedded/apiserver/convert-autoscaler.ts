import { parseJson, printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { type Item, withField, withMeta } from './item.ts';

/** Fields that autoscaling/v1 lacks are kept in annotations, as in Kubernetes. */
const metricsNote = 'autoscaling.alpha.kubernetes.io/metrics';
const behaviorNote = 'autoscaling.alpha.kubernetes.io/behavior';

/** A HorizontalPodAutoscaler in its other version: v1 has one CPU percentage, v2 a list of metrics. */
export function convertAutoscaler(item: Item, apiVersion: string): Item {
  return apiVersion === 'autoscaling/v1' ? toV1({ ...item, apiVersion }) : toV2({ ...item, apiVersion });
}

const fields = (value: unknown): JsonObject => (isObject(value) ? value : {});
const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(fields) : []);

function toV2(item: Item): Item {
  const { targetCPUUtilizationPercentage: percent, ...spec } = fields(item.spec);
  const { currentCPUUtilizationPercentage: current, ...status } = fields(item.status);
  const {
    [metricsNote]: metrics,
    [behaviorNote]: behavior,
    ...annotations
  } = item.metadata.annotations ?? {};
  const wanted =
    percent === undefined ? [] : [cpu({ target: { type: 'Utilization', averageUtilization: percent } })];
  const all = [...wanted, ...(metrics === undefined ? [] : list(parseJson(metrics)))];
  if (all.length > 0) spec.metrics = all;
  if (behavior !== undefined) spec.behavior = parseJson(behavior);
  if (current !== undefined) status.currentMetrics = [cpu({ current: { averageUtilization: current } })];
  const left = Object.keys(annotations).length > 0 ? annotations : undefined;
  const noted = metrics !== undefined || behavior !== undefined;
  return withParts(noted ? withMeta(item, { annotations: left }) : item, spec, status);
}

const cpu = (amount: JsonObject): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', ...amount } });

function toV1(item: Item): Item {
  const { metrics, behavior, ...spec } = fields(item.spec);
  const { currentMetrics, conditions: _conditions, ...status } = fields(item.status);
  const main = list(metrics).find((metric) => percentOf(metric, 'target') !== undefined);
  const others = list(metrics).filter((metric) => metric !== main);
  const current = list(currentMetrics).find((metric) => percentOf(metric, 'current') !== undefined);
  if (main) spec.targetCPUUtilizationPercentage = percentOf(main, 'target');
  if (current) status.currentCPUUtilizationPercentage = percentOf(current, 'current');
  const annotations = {
    ...item.metadata.annotations,
    ...(others.length > 0 && { [metricsNote]: printJson(others) }),
    ...(behavior !== undefined && { [behaviorNote]: printJson(behavior) }),
  };
  const noted = Object.keys(annotations).length > 0;
  return withParts(noted ? withMeta(item, { annotations }) : item, spec, status);
}

function percentOf({ resource }: JsonObject, side: 'target' | 'current'): unknown {
  const { name, [side]: amount } = fields(resource);
  return name === 'cpu' ? fields(amount).averageUtilization : undefined;
}

const withParts = (item: Item, spec: JsonObject, status: JsonObject): Item =>
  withField(withField(item, 'spec', spec), 'status', item.status === undefined ? undefined : status);
