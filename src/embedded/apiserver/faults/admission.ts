import type { KubeObject } from '#base/model';
import { gvkOf } from '#base/model';
import { isObject } from '#base/std';
import { applyJsonPatch } from '#kubernetes/patch';
import type { AdmissionHook } from '../core.ts';
import type { ServedKinds } from '../kinds.ts';
import { injected } from '../status.ts';
import type { Faults, Occasion } from './faults.ts';
import type { FaultEffect } from './rule.ts';

/** The webhooks, followed by those of the fault rules. */
export function withAdmissionFaults(
  webhooks: AdmissionHook,
  faults: Faults,
  kinds: ServedKinds,
): AdmissionHook {
  return (request) => {
    const object = webhooks(request);
    if (request.phase !== 'mutate' || !faults.has('admission')) return object;
    const occasion = occasionOf(object, request.live ? 'update' : 'create', request.user, kinds);
    return faults.strike('admission', occasion).reduce(admitted, object);
  };
}

function admitted(object: KubeObject, effect: FaultEffect): KubeObject {
  if ('deny' in effect) {
    throw injected(403, `admission webhook "faults.embed.fairlead.dev" denied the request: ${effect.deny}`);
  }
  if ('mutate' in effect) return applyJsonPatch(object, effect.mutate) as KubeObject;
  if ('annotate' in effect) return annotated(object, effect.annotate);
  if ('outcome' in effect) return annotated(object, { 'simulate.fairlead.io/outcome': effect.outcome });
  return object;
}

const annotated = (object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

function occasionOf(object: KubeObject, verb: string, user: string, kinds: ServedKinds): Occasion {
  const { apiVersion, kind, metadata } = object;
  return {
    verb,
    group: gvkOf({ apiVersion, kind }).group,
    resource: kinds.findKind(apiVersion, kind)?.plural ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    user,
    labels: metadata.labels,
    images: imagesIn(object.spec),
  };
}

/** The images of a pod, or of the template in a workload. */
function imagesIn(spec: unknown): string[] {
  if (!isObject(spec)) return [];
  const containers = Array.isArray(spec.containers) ? spec.containers : [];
  const own = containers.flatMap((one) =>
    isObject(one) && typeof one.image === 'string' ? [one.image] : [],
  );
  const inside = [spec.template, spec.jobTemplate].flatMap((part) =>
    isObject(part) ? imagesIn(part.spec) : [],
  );
  return [...own, ...inside];
}
