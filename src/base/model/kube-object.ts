import { FairleadError } from '#base/std';

export type Condition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  observedGeneration?: number;
};

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

export type ManagedFieldsEntry = {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
};

/** `name` is the empty string while only `generateName` is known, as in Kubernetes itself. */
export type ObjectMeta = {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
};

/**
 * Any object that a cluster may return. Spec and status are unknown until a reader narrows them to a view
 * whose every field is optional: the cluster promises nothing. Other top-level fields (data, rules, …) are
 * carried along and read through `viewOf`.
 */
export type KubeObject<Spec = unknown, Status = unknown> = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Spec;
  status?: Status;
};

/** Identity of a type: a manifest's apiVersion and kind, split. */
export type GroupVersionKind = { group: string; version: string; kind: string };

/** Identity of a type across versions, the grain at which rules and caches work. */
export type GroupKind = { group: string; kind: string };

/** `group/Kind/namespace/name`; the version is deliberately absent. */
export type ResourceKey = string & { readonly brand: 'ResourceKey' };

/** A resource key taken apart. Empty namespace: cluster-scoped. Empty group: core. */
export type ResourceRef = { group: string; kind: string; namespace: string; name: string };

export type ConfigMapFields = {
  data: Record<string, string>;
  binaryData: Record<string, string>;
  immutable: boolean;
};
export type SecretFields = {
  data: Record<string, string>;
  stringData: Record<string, string>;
  type: string;
  immutable: boolean;
};

/** Names the top-level fields a kind carries beside spec and status; each may be missing. */
export function viewOf<Fields extends object>(object: KubeObject): KubeObject & Partial<Fields> {
  return object as KubeObject & Partial<Fields>;
}

/** The API group; empty for core. */
export function groupOf({ apiVersion }: Pick<KubeObject, 'apiVersion'>): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The version inside the group: `v1` of `apps/v1`. */
export function versionOf({ apiVersion }: Pick<KubeObject, 'apiVersion'>): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

export function gvkOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupVersionKind {
  return { group: groupOf(object), version: versionOf(object), kind: object.kind };
}

/** Whether an object is of this kind, in any version. */
export function isKind(object: KubeObject, group: string, kind: string): boolean {
  return object.kind === kind && groupOf(object) === group;
}

/** group/Kind/namespace/name, the identity Argo CD uses: the version is deliberately absent. */
export function keyOf(object: KubeObject): ResourceKey {
  const { name, namespace = '' } = object.metadata;
  return `${groupOf(object)}/${object.kind}/${namespace}/${name}` as ResourceKey;
}

/** The key of an object known only by its parts. */
export function keyFrom({
  group,
  kind,
  namespace = '',
  name,
}: Partial<ResourceRef> & GroupKind): ResourceKey {
  return `${group}/${kind}/${namespace}/${name ?? ''}` as ResourceKey;
}

/** Takes a key apart; throws InvalidSpec when it does not have four parts. A name may itself hold slashes. */
export function parseKey(key: string): ResourceRef {
  const [group, kind, namespace, ...name] = key.split('/');
  if (group === undefined || !kind || namespace === undefined || name.length === 0) {
    throw new FairleadError(
      'InvalidSpec',
      `resource key "${key}" is not of the form group/Kind/namespace/name`,
    );
  }
  return { group, kind, namespace, name: name.join('/') };
}
