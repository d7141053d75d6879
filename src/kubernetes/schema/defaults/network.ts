import type { JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, inside, insideAlways, steps } from './fill.ts';

const tcp: DefaultingStep = (port) => fill(port, { protocol: 'TCP' });

function servicePort(port: JsonObject): JsonObject {
  const isUnset = port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '';
  return tcp(isUnset ? { ...port, targetPort: port.port } : port);
}

function sessionAffinity(spec: JsonObject): JsonObject {
  const { sessionAffinityConfig: _, ...plain } = spec;
  const chosen = fill(spec, { sessionAffinity: 'None' });
  if (chosen.sessionAffinity === 'None') return fill(plain, { sessionAffinity: 'None' });
  if (chosen.sessionAffinity !== 'ClientIP') return chosen;
  return insideAlways(chosen, 'sessionAffinityConfig', (config) =>
    insideAlways(config, 'clientIP', (client) => fill(client, { timeoutSeconds: 10800 })),
  );
}

/** compat cluster 3.12: traffic policies depend on how far the service can be seen. */
function trafficPolicies(spec: JsonObject): JsonObject {
  const isPublic = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const hasExternalIps = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  return fill(spec, {
    ...(isPublic || spec.type === 'ClusterIP' ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(isPublic || (hasExternalIps && spec.type === 'ClusterIP')
      ? { externalTrafficPolicy: 'Cluster' }
      : {}),
    ...(spec.type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}

const serviceSpec: DefaultingStep = steps(
  sessionAffinity,
  (spec) => fill(spec, { type: 'ClusterIP' }),
  (spec) => each(spec, 'ports', servicePort),
  trafficPolicies,
);

const networkPolicySpec: DefaultingStep = steps(
  (spec) => {
    const hasEgress = Array.isArray(spec.egress) && spec.egress.length > 0;
    const isUnset = !Array.isArray(spec.policyTypes) || spec.policyTypes.length === 0;
    return isUnset ? { ...spec, policyTypes: ['Ingress', ...(hasEgress ? ['Egress'] : [])] } : spec;
  },
  (spec) => each(spec, 'ingress', (rule) => each(rule, 'ports', tcp)),
  (spec) => each(spec, 'egress', (rule) => each(rule, 'ports', tcp)),
);

const slicePort: DefaultingStep = (port) => tcp(port.name === undefined ? { ...port, name: '' } : port);

export const networkDefaults: Record<string, DefaultingStep> = {
  'v1/Service': (object) => insideAlways(object, 'spec', serviceSpec),
  'v1/Endpoints': (object) => each(object, 'subsets', (subset) => each(subset, 'ports', tcp)),
  'discovery.k8s.io/v1/EndpointSlice': (object) => each(object, 'ports', slicePort),
  'networking.k8s.io/v1/NetworkPolicy': (object) => insideAlways(object, 'spec', networkPolicySpec),
  'networking.k8s.io/v1/IngressClass': (object) =>
    inside(object, 'spec', (spec) =>
      inside(spec, 'parameters', (reference) => fill(reference, { scope: 'Cluster' })),
    ),
};
