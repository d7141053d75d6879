import {
  type ApplicationCondition,
  type GroupKind,
  groupOf,
  type KubeObject,
  keyFrom,
  type ResourceFilter,
  type ResourceKey,
} from '#base/model';
import { freeze } from '#base/std';
import { glob } from './glob.ts';
import { type Tracking, type TrackingOwner, track } from './tracking.ts';

export type TargetOptions = {
  readonly owner: TrackingOwner;
  readonly tracking: Tracking;
  /** undefined: the cluster does not serve the kind (yet). */
  readonly isNamespaced: (kind: GroupKind) => boolean | undefined;
  /** Why the controller does not watch a kind; a target of such a kind is dropped with a warning (engine T-14). */
  readonly excludedBy?: (kind: GroupKind) => string | undefined;
};

export type ApplicationTarget = {
  readonly objects: readonly KubeObject[];
  readonly conditions: readonly ApplicationCondition[];
};

/** Rendered objects made ready to compare and apply: in their namespace, marked as ours, each once. */
export function prepareTarget(rendered: readonly KubeObject[], options: TargetOptions): ApplicationTarget {
  const conditions: ApplicationCondition[] = [];
  const found = new Map<ResourceKey, { object: KubeObject; times: number }>();
  rendered.forEach((object, index) => {
    const why = options.excludedBy?.({ group: groupOf(object), kind: object.kind });
    if (why) {
      conditions.push(excluded(object, why));
      return;
    }
    const ready = readied(object, options);
    const key = targetKey(ready, index);
    const times = (found.get(key)?.times ?? 0) + 1;
    found.set(key, { object: ready, times });
  });
  for (const [key, { times }] of found) if (times > 1) conditions.push(repeated(key, times));
  return { objects: [...found.values()].map(({ object }) => object), conditions };
}

type Ready = TrackingOwner & {
  readonly tracking: Tracking;
  readonly namespaced: boolean | undefined;
  readonly object: KubeObject;
};

/** Rendered objects are never changed, so a prepared object stays valid for the same options. */
const ready = new WeakMap<KubeObject, Ready>();

/** The object in its namespace and marked, and the very same object the next time: to compare it costs nothing then. */
function readied(object: KubeObject, { owner, tracking, isNamespaced }: TargetOptions): KubeObject {
  const namespaced = isNamespaced({ group: groupOf(object), kind: object.kind });
  const known = ready.get(object);
  const isSame =
    known?.instance === owner.instance &&
    known.destinationNamespace === owner.destinationNamespace &&
    known.tracking === tracking &&
    known.namespaced === namespaced;
  if (isSame) return known.object;
  const made = freeze(track(place(object, owner, namespaced), owner, tracking));
  ready.set(object, { ...owner, tracking, namespaced, object: made });
  return made;
}

/** compat engine A-14; a kind whose scope is unknown is taken for namespaced (engine §2.5 step 3). */
function place(object: KubeObject, owner: TrackingOwner, namespaced = true): KubeObject {
  const { namespace, ...metadata } = object.metadata;
  if (!namespaced) return namespace === undefined ? object : { ...object, metadata };
  if (namespace || !owner.destinationNamespace) return object;
  return { ...object, metadata: { ...metadata, namespace: owner.destinationNamespace } };
}

/** An object without a name yet has no duplicates, so its index in the list identifies it. */
function targetKey(object: KubeObject, index: number): ResourceKey {
  const { name, generateName, namespace = '' } = object.metadata;
  const unique = name || `${generateName ?? ''}${index}`;
  return keyFrom({ group: groupOf(object), kind: object.kind, namespace, name: unique });
}

/** compat engine A-8: the last one wins, and a condition reports the repetition. */
function repeated(key: ResourceKey, times: number): ApplicationCondition {
  return {
    type: 'RepeatedResourceWarning',
    message: `${key} is declared ${times} times; the last one is used, remove the others`,
  };
}

function excluded(object: KubeObject, why: string): ApplicationCondition {
  const kind = `${groupOf(object)}/${object.kind}`;
  return {
    type: 'ExcludedResourceWarning',
    message: `${kind} ${object.metadata.name} is left out: ${why}`,
  };
}

const builtinExclusions: readonly ResourceFilter[] = [
  { apiGroups: ['events.k8s.io', 'metrics.k8s.io'], kinds: [], clusters: [] },
  { apiGroups: [''], kinds: ['Event'], clusters: [] },
  { apiGroups: ['coordination.k8s.io'], kinds: ['Lease'], clusters: [] },
];

const kinds = (apiGroups: readonly string[], ...names: string[]): ResourceFilter => ({
  apiGroups,
  kinds: names,
  clusters: [],
});

/** compat engine T-14: what the argocd-cm of a stock installation excludes besides; it is configuration, so a user may drop it. */
export const stockExclusions: readonly ResourceFilter[] = [
  kinds(['', 'discovery.k8s.io'], 'Endpoints', 'EndpointSlice'),
  kinds(['coordination.k8s.io'], 'Lease'),
  kinds(
    ['authentication.k8s.io', 'authorization.k8s.io'],
    'SelfSubjectReview',
    'TokenReview',
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
  ),
  kinds(['certificates.k8s.io'], 'CertificateSigningRequest'),
  kinds(['cert-manager.io'], 'CertificateRequest'),
  kinds(['cilium.io'], 'CiliumIdentity', 'CiliumEndpoint', 'CiliumEndpointSlice'),
  kinds(
    ['kyverno.io', 'reports.kyverno.io', 'wgpolicyk8s.io'],
    'PolicyReport',
    'ClusterPolicyReport',
    'EphemeralReport',
    'ClusterEphemeralReport',
    'AdmissionReport',
    'ClusterAdmissionReport',
    'BackgroundScanReport',
    'ClusterBackgroundScanReport',
    'UpdateRequest',
  ),
];

type ResourceFilters = {
  readonly exclusions: readonly ResourceFilter[];
  readonly inclusions: readonly ResourceFilter[];
};

/** compat engine T-14, T-15: exclusion beats inclusion; with any inclusion for this cluster, the rest is out. */
export const isExcludedKind = (kind: GroupKind, server: string, filters: ResourceFilters): boolean =>
  excludedBy(kind, server, filters) !== undefined;

/** The exclusion reasons by kind of a cluster; settings are replaced, never changed. */
const said = new WeakMap<ResourceFilters, Map<string, string>>();

/** The filter that excludes a kind, as text; undefined: none. */
export function excludedBy(kind: GroupKind, server: string, filters: ResourceFilters): string | undefined {
  const known = said.get(filters) ?? new Map<string, string>();
  const id = `${kind.group}/${kind.kind} ${server}`;
  let why = known.get(id);
  if (why === undefined) {
    why = exclusionOf(kind, server, filters);
    known.set(id, why);
    said.set(filters, known);
  }
  return why || undefined;
}

function exclusionOf({ group, kind }: GroupKind, server: string, filters: ResourceFilters): string {
  const covers = (filter: ResourceFilter): boolean =>
    (filter.apiGroups.length === 0 || filter.apiGroups.some((pattern) => glob(pattern, group))) &&
    (filter.kinds.length === 0 || filter.kinds.some((name) => name === '*' || name === kind));
  const here = ({ clusters }: ResourceFilter): boolean =>
    clusters.length === 0 || clusters.some((pattern) => glob(pattern, server));
  const isIn = (some: readonly ResourceFilter[]): boolean => some.some((one) => here(one) && covers(one));
  if (isIn(builtinExclusions)) return 'objects of its kind come and go by themselves and are never managed';
  if (isIn(filters.exclusions)) return 'resource.exclusions in argocd-cm excludes its kind';
  const inclusions = filters.inclusions.filter(here);
  if (inclusions.length === 0 || inclusions.some(covers)) return '';
  return 'resource.inclusions in argocd-cm does not name its kind';
}
