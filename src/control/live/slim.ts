import { annotation, gvkOf, type KubeObject } from '#base/model';

const slimObjects = new WeakSet<KubeObject>();

/** Whether fields of an object were dropped when it was received. */
export const isSlim = (object: KubeObject): boolean => slimObjects.has(object);

/**
 * compat engine T-18: an object without the fields that only a comparison needs. Of known kinds, drops fields that health,
 * images, networking and the tree do not read; of others, the metadata about field managers.
 */
export function slimmed(object: KubeObject): KubeObject {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata;
  const thin = thinners.get(keyOfKind(object));
  const slim = {
    ...(thin ? thin(object as Body) : object),
    metadata: { ...metadata, ...(annotations && { annotations: withoutLastApplied(annotations) }) },
  } as KubeObject;
  slimObjects.add(slim);
  return slim;
}

type Body = KubeObject<Record<string, unknown>, Record<string, unknown>> & Record<string, unknown>;

function keyOfKind(object: KubeObject): string {
  const { group, kind } = gvkOf(object);
  return `${group}/${kind}`;
}

const thinners: ReadonlyMap<string, (object: Body) => object> = new Map([
  ['/ConfigMap', without('data', 'binaryData')],
  ['/Secret', without('data', 'stringData')],
  ['/Endpoints', without('subsets')],
  ['/Pod', (pod) => ({ ...pod, ...(pod.spec && { spec: thinPod(pod.spec) }) })],
  ['/Node', ({ status = {}, ...node }) => ({ ...node, status: omit(status, ['images', 'volumesInUse']) })],
  ['apps/ReplicaSet', (set) => ({ ...set, ...(set.spec && { spec: thinReplicas(set.spec) }) })],
  ['apps/ControllerRevision', without('data')],
  ['discovery.k8s.io/EndpointSlice', without('endpoints', 'ports')],
]);

function without(...names: readonly string[]): (object: Body) => object {
  return (object) => omit(object, names);
}

function omit(object: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function withoutLastApplied(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const { [annotation.lastApplied]: _applied, ...rest } = annotations;
  return rest;
}

/**
 * The node, the restart policy, the requests of the whole Pod, and of its containers names and images, requests and
 * readiness.
 */
function thinPod(spec: Record<string, unknown>): object {
  const { containers, initContainers } = spec;
  const kept = Object.entries(spec).filter(([name]) => podFields.has(name));
  return {
    ...Object.fromEntries(kept),
    ...(containers !== undefined && { containers: thinContainers(containers) }),
    ...(initContainers !== undefined && { initContainers: thinContainers(initContainers) }),
  };
}

const podFields: ReadonlySet<string> = new Set(['nodeName', 'restartPolicy', 'resources', 'overhead']);

const containerFields: ReadonlySet<string> = new Set([
  'name',
  'image',
  'resources',
  'restartPolicy',
  'readinessProbe',
  'startupProbe',
]);

function thinContainers(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(container ?? {}).filter(([name]) => containerFields.has(name))),
  );
}

function thinReplicas({ replicas, template }: Record<string, unknown>): object {
  const { spec = {} } = (template ?? {}) as { readonly spec?: Record<string, unknown> };
  return { replicas, template: { spec: thinPod(spec) } };
}
