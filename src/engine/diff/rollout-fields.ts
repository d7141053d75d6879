import { isKind, type KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { manualTrafficAnnotation } from '#engine/traffic';

const hashKey = 'rollouts-pod-template-hash';
const managedBy = 'argo-rollouts.argoproj.io/managed-by-rollouts';
/** The field manager by which a Rollout writes. */
const rolloutManager = 'fairlead-rollouts';

type Selected = KubeObject<{ selector?: Record<string, string> }>;
type Routed = KubeObject<{ traffic?: unknown }>;

/**
 * compat rollouts RT-3, RK-3, RK-14: the target with the fields of the live object that a Rollout owns, for a write that replaces
 * the whole object: the pods that a Service selects, the traffic of a Knative Service that Git does not declare, and the record of
 * a manual override, which only a person lifts.
 */
export function keepRolloutFields(target: KubeObject, live: KubeObject): KubeObject {
  if (isKind(target, '', 'Service')) return withSelection(target as Selected, live as Selected);
  if (isKind(target, 'serving.knative.dev', 'Service')) return withTraffic(target as Routed, live as Routed);
  return isKind(target, 'argoproj.io', 'Rollout') ? withManualTraffic(target, live) : target;
}

function withManualTraffic(target: KubeObject, live: KubeObject): KubeObject {
  const { [manualTrafficAnnotation]: record } = live.metadata.annotations ?? {};
  if (record === undefined) return target;
  const annotations = { [manualTrafficAnnotation]: record, ...target.metadata.annotations };
  return { ...target, metadata: { ...target.metadata, annotations } };
}

function withSelection(target: Selected, live: Selected): KubeObject {
  const hash = live.spec?.selector?.[hashKey];
  const owner = live.metadata.annotations?.[managedBy];
  if (hash === undefined || owner === undefined || !target.spec?.selector) return target;
  return {
    ...target,
    metadata: { ...target.metadata, annotations: { [managedBy]: owner, ...target.metadata.annotations } },
    spec: { ...target.spec, selector: { [hashKey]: hash, ...target.spec.selector } },
  };
}

function withTraffic(target: Routed, live: Routed): KubeObject {
  const traffic = live.spec?.traffic;
  const isDeclared = target.spec?.traffic !== undefined && target.spec.traffic !== null;
  if (isDeclared || traffic === undefined || !isOwned(live)) return target;
  return { ...target, spec: { ...target.spec, traffic } };
}

const isOwned = ({ metadata }: KubeObject): boolean =>
  (metadata.managedFields ?? []).some(({ manager, fieldsV1 }) => {
    const spec = isObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    return manager === rolloutManager && isObject(spec) && spec['f:traffic'] !== undefined;
  });
