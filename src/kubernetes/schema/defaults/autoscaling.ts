import type { JsonObject } from '../type-node.ts';
import { type DefaultingStep, fill, inside, insideAlways, steps } from './fill.ts';

const doubling = { type: 'Percent', value: 100, periodSeconds: 15 };

const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, doubling],
};

const scaleDown: JsonObject = { selectPolicy: 'Max', policies: [doubling] };

/** compat cluster 3.12: behaviour is completed only where the user began to describe it. */
const behavior: DefaultingStep = steps(
  (part) => insideAlways(part, 'scaleUp', (rules) => fill(rules, scaleUp)),
  (part) => insideAlways(part, 'scaleDown', (rules) => fill(rules, scaleDown)),
);

const cpuAtEighty = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const specV2: DefaultingStep = steps(
  (spec) => fill(spec, { minReplicas: 1 }),
  (spec) =>
    Array.isArray(spec.metrics) && spec.metrics.length > 0 ? spec : { ...spec, metrics: [cpuAtEighty] },
  (spec) => inside(spec, 'behavior', behavior),
);

/** compat cluster 3.12: version 1 keeps metrics it cannot express in an annotation; without any, CPU at 80 % is the goal. */
function specV1(object: JsonObject): JsonObject {
  const { annotations } = (object.metadata ?? {}) as { annotations?: JsonObject };
  const hasMetrics = annotations?.['autoscaling.alpha.kubernetes.io/metrics'] !== undefined;
  const goal = hasMetrics ? {} : { targetCPUUtilizationPercentage: 80 };
  return insideAlways(object, 'spec', (spec) => fill(spec, { minReplicas: 1, ...goal }));
}

export const autoscalingDefaults: Record<string, DefaultingStep> = {
  'autoscaling/v2/HorizontalPodAutoscaler': (object) => insideAlways(object, 'spec', specV2),
  'autoscaling/v1/HorizontalPodAutoscaler': specV1,
};
