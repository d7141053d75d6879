import {
  type Application,
  annotation,
  defaultSettings,
  groupOf,
  instanceName,
  isKind,
  type KubeObject,
  type ResourceRef,
  type Settings,
} from '#base/model';
import { annotate } from './annotations.ts';

/** How objects are marked as ours. The controller passes the settings' own slice. */
export type Tracking = Settings['tracking'];

/**
 * The owner in a tracking mark: the instance name (instanceName of #model) and the default namespace of its
 * objects.
 */
export type TrackingOwner = { readonly instance: string; readonly destinationNamespace: string };

/** A tracking id taken apart: the owner, and the object that the mark was made for. */
export type TrackingId = ResourceRef & { readonly instance: string };

export const defaultTracking: Tracking = defaultSettings.tracking;

const maxLabel = 63;

export function ownerOf(app: Application, controlPlaneNamespace: string): TrackingOwner {
  return {
    instance: instanceName(app, controlPlaneNamespace),
    destinationNamespace: app.spec.destination.namespace ?? '',
  };
}

/**
 * The object with the owner's tracking mark. CRDs stay unmarked (engine T-4); nothing below metadata is changed
 * (engine T-5).
 */
export function track<T extends KubeObject>(object: T, owner: TrackingOwner, tracking: Tracking): T {
  if (isDefinition(object)) return object;
  if (tracking.method === 'label') return labelled(object, tracking.instanceLabelKey, owner.instance);
  const marked = annotate(object, annotation.trackingId, printTrackingId(object, owner));
  const stamped = annotate(marked, annotation.installationId, tracking.installationId || undefined);
  return tracking.method === 'annotation+label'
    ? labelled(stamped, tracking.instanceLabelKey, shorten(owner.instance))
    : stamped;
}

/** The instance name of the Application that an object is marked for, or undefined when it has no mark. */
export function trackedBy(object: KubeObject, tracking: Tracking): string | undefined {
  if (tracking.method === 'label') return object.metadata.labels?.[tracking.instanceLabelKey] || undefined;
  const held = object.metadata.annotations ?? {};
  // compat engine T-3: another installation's mark is no mark
  if (tracking.installationId && held[annotation.installationId] !== tracking.installationId)
    return undefined;
  const text = held[annotation.trackingId];
  const marks = text ? marksIn(text) : undefined;
  return marks && text?.slice(0, marks.instance);
}

/** compat engine T-1 */
export function printTrackingId(
  object: KubeObject,
  { instance, destinationNamespace }: TrackingOwner,
): string {
  const { name, namespace = destinationNamespace } = object.metadata;
  return `${instance}:${groupOf(object)}/${object.kind}:${namespace}/${name}`;
}

/** compat engine T-1: anything of another form is no tracking id. */
export function parseTrackingId(text: string): TrackingId | undefined {
  const marks = marksIn(text);
  if (!marks) return undefined;
  return {
    instance: text.slice(0, marks.instance),
    group: text.slice(marks.instance + 1, marks.group),
    kind: text.slice(marks.group + 1, marks.kind),
    namespace: text.slice(marks.kind + 1, marks.namespace),
    name: text.slice(marks.namespace + 1),
  };
}

/** Where the parts of `instance:group/kind:namespace/name` end; the name may hold colons, as those of RBAC do. */
function marksIn(text: string) {
  const instance = text.indexOf(':');
  const group = text.indexOf('/', instance + 1);
  const kind = text.indexOf(':', instance + 1);
  const namespace = text.indexOf('/', group + 1);
  const isOne = instance > 0 && instance < group && group < kind && kind < namespace;
  return isOne && !text.includes('/', namespace + 1) ? { instance, group, kind, namespace } : undefined;
}

/**
 * compat engine T-6: false for a live object that merely carries a copied mark, as when a controller copies annotations to
 * what it creates. Such an object is shown, but never judged, applied to or pruned.
 */
export function isSelfReferenced(
  live: KubeObject | undefined,
  target: KubeObject | undefined,
  tracking: Tracking,
): boolean {
  if (!live || tracking.method === 'label') return true;
  const meant = target
    ? refOf(target)
    : parseTrackingId(live.metadata.annotations?.[annotation.trackingId] ?? '');
  if (!meant) return true;
  const { group, kind, namespace, name } = refOf(live);
  return (
    group === meant.group &&
    kind === meant.kind &&
    name === meant.name &&
    (!namespace || namespace === meant.namespace)
  );
}

function refOf(object: KubeObject): ResourceRef {
  const { name, namespace = '' } = object.metadata;
  return { group: groupOf(object), kind: object.kind, namespace, name };
}

export const isDefinition = (object: KubeObject): boolean =>
  isKind(object, 'apiextensions.k8s.io', 'CustomResourceDefinition');

// compat engine T-5: under this obsolete key, and under no other, what a workload makes is marked too
const legacyLabelKey = 'applications.argoproj.io/app-name';
const workloads: ReadonlySet<string> = new Set([
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'extensions/Deployment',
  'extensions/ReplicaSet',
  'extensions/DaemonSet',
  'batch/Job',
]);

function labelled<T extends KubeObject>(object: T, key: string, value: string): T {
  const marked = withLabel(object, key, value);
  return key === legacyLabelKey && workloads.has(`${groupOf(object)}/${object.kind}`)
    ? withTemplateLabel(marked, key, value)
    : marked;
}

type Templated = { template?: { metadata?: { labels?: Record<string, string> } } };

function withTemplateLabel<T extends KubeObject>(object: T, key: string, value: string): T {
  const spec = (object.spec ?? {}) as Templated;
  if (!spec.template) return object;
  const { metadata = {} } = spec.template;
  const template = {
    ...spec.template,
    metadata: { ...metadata, labels: { ...metadata.labels, [key]: value } },
  };
  return { ...object, spec: { ...spec, template } };
}

function withLabel<T extends KubeObject>(object: T, key: string, value: string): T {
  if (object.metadata.labels?.[key] === value) return object;
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [key]: value } } };
}

/** compat engine T-2: only the informational label of annotation+label is shortened to fit. */
const shorten = (name: string): string => name.slice(0, maxLabel).replace(/[^A-Za-z0-9]+$/, '');
