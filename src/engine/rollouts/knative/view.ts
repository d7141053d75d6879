import { type Condition, conditionOf, type KubeObject, type LabelSelector } from '#base/model';
import { equal, isObject } from '#base/std';
import type { Roles } from '../replica-sets.ts';
import { type Rollout, type RolloutReplicaSet, rolloutKey } from '../rollout.ts';
import { trafficManager } from './settings.ts';

export type KnativeTraffic = {
  revisionName?: string;
  latestRevision?: boolean;
  percent?: number;
  tag?: string;
  url?: string;
};

export type KnativeServiceView = KubeObject<
  { traffic?: readonly KnativeTraffic[] },
  {
    observedGeneration?: number;
    conditions?: Condition[];
    latestCreatedRevisionName?: string;
    latestReadyRevisionName?: string;
    traffic?: readonly KnativeTraffic[];
  }
>;

export type KnativeRevision = KubeObject<
  Record<string, unknown>,
  {
    observedGeneration?: number;
    conditions?: Condition[];
    actualReplicas?: number;
    containerStatuses?: readonly { name?: string; imageDigest?: string }[];
  }
>;

/** What a pass over the Rollout of a Knative Service reads. */
export type KnativeFacts = {
  readonly service: KnativeServiceView | undefined;
  /** The Revisions of the Service. */
  readonly revisions: readonly KnativeRevision[];
  /** compat rollouts RK-2: an older Rollout that names the same Service. */
  readonly rival?: string | undefined;
  /** The candidate's address as the Rollout records it; the Rollout of a pass has the one that is true now. */
  readonly recordedUrl?: string | undefined;
};

/** The Revisions of a Knative Service are found by this selector. */
export const revisionsOf = (service: string): string => `serving.knative.dev/service=${service}`;

export const conditionIn = (
  object: { readonly status?: { readonly conditions?: Condition[] } } | undefined,
  type: string,
): Condition | undefined => conditionOf(object?.status?.conditions ?? [], type);

/** Whether Knative has acted on the latest spec. */
export const isCurrent = (object: KnativeServiceView | KnativeRevision | undefined): boolean =>
  object !== undefined && object.status?.observedGeneration === object.metadata.generation;

export const isReady = (object: KnativeServiceView | KnativeRevision | undefined): boolean =>
  isCurrent(object) && conditionIn(object, 'Ready')?.status === 'True';

/** The number of a Revision: the generation of the Configuration that it was made of. */
export const generationOf = ({ metadata }: KubeObject): number =>
  Number(metadata.labels?.['serving.knative.dev/configurationGeneration'] ?? 0) || 0;

/** compat rollouts RK-5: a Revision as the rules for ReplicaSets read it; its name is the hash. */
export function asReplicaSet(revision: KnativeRevision): RolloutReplicaSet {
  const { name, namespace, uid, creationTimestamp } = revision.metadata;
  const replicas = revision.status?.actualReplicas ?? 0;
  const ready = isReady(revision) ? replicas : 0;
  return {
    apiVersion: revision.apiVersion,
    kind: 'Revision',
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(creationTimestamp && { creationTimestamp }),
      labels: { [rolloutKey.hash]: name },
      annotations: { [rolloutKey.revision]: String(generationOf(revision)) },
    },
    spec: { replicas, selector: {} satisfies LabelSelector },
    status: { replicas, readyReplicas: ready, availableReplicas: isReady(revision) ? Math.max(1, ready) : 0 },
  };
}

/** The Revisions sorted by their role: the latest created one is the new version. */
export function rolesOfRevisions({ status }: Rollout, { service, revisions }: KnativeFacts): Roles {
  const all = revisions.map(asReplicaSet);
  const named = (name: string | undefined) => all.find(({ metadata }) => metadata.name === name);
  const fresh = named(service?.status?.latestCreatedRevisionName);
  const stable = named(status?.stableRS);
  return { all, fresh, stable, others: all.filter((set) => set !== fresh && set !== stable) };
}

const isKnativeKey = (key: string): boolean => /(?:^|\.)knative\.dev\//.test(key);
/** The annotations of a template that change how it is scaled or served are part of its content. */
const isContent = (key: string): boolean => !isKnativeKey(key) || key.startsWith('autoscaling.knative.dev/');

const contentOf = ({ metadata, spec, status }: KnativeRevision) => ({
  spec,
  digests: (status?.containerStatuses ?? []).map(({ name, imageDigest }) => [name, imageDigest]),
  ...Object.fromEntries(
    (['labels', 'annotations'] as const).map((field) => [
      field,
      Object.fromEntries(Object.entries(metadata[field] ?? {}).filter(([key]) => isContent(key))),
    ]),
  ),
});

/** compat rollouts RK-8: whether two Revisions have the same content, as a Git revert makes them. */
export const isSameContent = (one: KnativeRevision, other: KnativeRevision): boolean =>
  equal(contentOf(one), contentOf(other));

type Manager = { readonly manager: string; readonly isApply: boolean };

/** The field managers that own `spec.traffic`. */
function trafficManagers({ metadata }: KnativeServiceView): Manager[] {
  return (metadata.managedFields ?? []).flatMap(({ manager = '', operation, fieldsV1 }) => {
    const spec = isObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    const owns = isObject(spec) && spec['f:traffic'] !== undefined;
    return owns ? [{ manager, isApply: operation === 'Apply' }] : [];
  });
}

/** Another field manager that wrote the traffic last; undefined: the Rollout owns it. */
export function foreignManager(service: KnativeServiceView): string | undefined {
  const managers = trafficManagers(service).map(({ manager }) => manager);
  return managers.includes(trafficManager) ? undefined : (managers[0] ?? 'an unknown field manager');
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const trackingId = 'argocd.argoproj.io/tracking-id';

/** compat rollouts RK-1: the manifest that declares `spec.traffic`, in words; undefined: none does. */
export function declaringManifest(service: KnativeServiceView): string | undefined {
  const { annotations = {} } = service.metadata;
  const applier = trafficManagers(service).find(
    ({ manager, isApply }) => isApply && manager !== trafficManager,
  );
  if (!applier && !declaresTraffic(annotations[lastApplied])) return undefined;
  const [application = ''] = (annotations[trackingId] ?? '').split(':');
  if (application) return `the manifest of Application "${application}"`;
  return applier ? `the manifest that ${applier.manager} applies` : 'the manifest that was applied last';
}

function declaresTraffic(text: string | undefined): boolean {
  try {
    const { spec } = JSON.parse(text ?? '{}') as { spec?: { traffic?: unknown } };
    return spec?.traffic !== undefined && spec.traffic !== null;
  } catch {
    return false;
  }
}
