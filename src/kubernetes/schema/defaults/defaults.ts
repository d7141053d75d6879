import type { JsonObject } from '../type-node.ts';
import { autoscalingDefaults } from './autoscaling.ts';
import { clusterDefaults } from './cluster.ts';
import { extensionDefaults } from './extension.ts';
import type { DefaultingStep } from './fill.ts';
import { networkDefaults } from './network.ts';
import { defaultPod } from './pod.ts';
import { workloadDefaults } from './workloads.ts';

const byKind: ReadonlyMap<string, DefaultingStep> = new Map(
  Object.entries({
    'v1/Pod': defaultPod,
    ...workloadDefaults,
    ...networkDefaults,
    ...autoscalingDefaults,
    ...clusterDefaults,
    ...extensionDefaults,
  }),
);

/**
 * The object with the fields that the API server's defaulting functions add, for built-in kinds; others stay
 * unchanged. Values that a server allocates (clusterIP, nodePort), generates (a Job's selector) or admits (a
 * pod's service account) are not defaults and are not added here.
 */
export function applyDefaults<T extends JsonObject>(object: T): T {
  const step = byKind.get(`${String(object.apiVersion)}/${String(object.kind)}`);
  return step === undefined ? object : (step(object) as T);
}
