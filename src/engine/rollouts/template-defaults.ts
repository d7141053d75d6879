import { isObject, type JsonObject } from '#base/std';
import type { RolloutTemplate } from './rollout.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/**
 * The template as an API server stores it that has the definitions of Argo Rollouts: those set a few defaults of the pod template, and the
 * hash covers them. Ours set none, so that the hash must not depend on which definitions are installed (compat rollouts RH-1, RC-3).
 */
export function withPeerDefaults(template: RolloutTemplate): RolloutTemplate {
  const spec = { ...template.spec };
  for (const list of containerLists) if (spec[list] !== undefined) spec[list] = each(spec[list], container);
  return template.spec ? { ...template, spec } : template;
}

function container(given: JsonObject): JsonObject {
  const whole: JsonObject = { ...given };
  if (given.ports !== undefined)
    whole.ports = each(given.ports, (port) => ({ ...port, protocol: port.protocol ?? 'TCP' }));
  if (given.env !== undefined) whole.env = each(given.env, variable);
  for (const probe of probes) if (isObject(given[probe])) whole[probe] = withService(given[probe]);
  return whole;
}

function variable(given: JsonObject): JsonObject {
  const { valueFrom } = given;
  if (!isObject(valueFrom) || !isObject(valueFrom.fileKeyRef)) return given;
  const fileKeyRef = { ...valueFrom.fileKeyRef, optional: valueFrom.fileKeyRef.optional ?? false };
  return { ...given, valueFrom: { ...valueFrom, fileKeyRef } };
}

function withService(probe: JsonObject): JsonObject {
  const { grpc } = probe;
  return isObject(grpc) ? { ...probe, grpc: { ...grpc, service: grpc.service ?? '' } } : probe;
}

const each = (list: unknown, change: (item: JsonObject) => JsonObject): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? change(item) : item)) : list;
