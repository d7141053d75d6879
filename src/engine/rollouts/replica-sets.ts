import type { LabelSelector } from '#base/model';
import { equal, isObject } from '#base/std';
import { applyDefaults } from '#kubernetes/schema';
import { templateHash } from './hash.ts';
import {
  type Rollout,
  type RolloutReplicaSet,
  type RolloutTemplate,
  replicasOf,
  rolloutKey,
} from './rollout.ts';

export const hashOf = (set: RolloutReplicaSet | undefined): string =>
  set?.metadata.labels?.[rolloutKey.hash] ?? '';
/** The size that is requested. */
export const sizeOf = (set: RolloutReplicaSet | undefined): number => set?.spec?.replicas ?? 0;
export const actualOf = (set: RolloutReplicaSet | undefined): number => set?.status?.replicas ?? 0;
export const readyOf = (set: RolloutReplicaSet | undefined): number => set?.status?.readyReplicas ?? 0;
export const availableOf = (set: RolloutReplicaSet | undefined): number =>
  set?.status?.availableReplicas ?? 0;

export const total = (
  sets: readonly (RolloutReplicaSet | undefined)[],
  count: (set: RolloutReplicaSet | undefined) => number,
): number => sets.reduce((sum, set) => sum + count(set), 0);

/** The number of a revision; 0: it has none. */
export function revisionOf({ metadata }: { readonly metadata: Rollout['metadata'] }): number {
  const number = Number(metadata.annotations?.[rolloutKey.revision] ?? '0');
  return Number.isSafeInteger(number) ? number : 0;
}

const createdAt = ({ metadata }: RolloutReplicaSet): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0;

const byAge = (a: RolloutReplicaSet, b: RolloutReplicaSet): number =>
  createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
export const byNewestRevision = (a: RolloutReplicaSet, b: RolloutReplicaSet): number =>
  revisionOf(b) - revisionOf(a);
export const oldestFirst = (sets: readonly RolloutReplicaSet[]): RolloutReplicaSet[] => sets.toSorted(byAge);

/** The ReplicaSets of a Rollout, sorted by their role. */
export type Roles = {
  readonly all: readonly RolloutReplicaSet[];
  /** That of the current template. */
  readonly fresh: RolloutReplicaSet | undefined;
  readonly stable: RolloutReplicaSet | undefined;
  readonly others: readonly RolloutReplicaSet[];
};

export function rolesOf(rollout: Rollout, all: readonly RolloutReplicaSet[]): Roles {
  const fresh = findFresh(rollout, all);
  const stableHash = rollout.status?.stableRS ?? '';
  const stable = stableHash === '' ? undefined : all.find((set) => hashOf(set) === stableHash);
  return { all, fresh, stable, others: all.filter((set) => set !== fresh && set !== stable) };
}

/**
 * compat rollouts RH-2: the oldest ReplicaSet of the template: by its hash, else by an equal template, which is what lets one
 * controller take over from another without a new ReplicaSet.
 */
function findFresh(rollout: Rollout, all: readonly RolloutReplicaSet[]): RolloutReplicaSet | undefined {
  const template = rollout.spec?.template ?? {};
  const hash = templateHash(template, rollout.status?.collisionCount);
  const sets = oldestFirst(all);
  return (
    sets.find((set) => hashOf(set) === hash) ??
    sets.find((set) => sameTemplate(set.spec?.template ?? {}, template, injectedOf(set)))
  );
}

type Injected = { readonly labels: readonly string[]; readonly annotations: readonly string[] };

function injectedOf({ metadata }: RolloutReplicaSet): Injected {
  const parsed = parseMetadata(metadata.annotations?.[rolloutKey.ephemeralMetadata]);
  return { labels: Object.keys(parsed.labels), annotations: Object.keys(parsed.annotations) };
}

/** What the annotation of injected metadata holds. */
export function parseMetadata(text: string | undefined): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  try {
    const { labels, annotations } = JSON.parse(text ?? '{}') as Record<string, Record<string, string>>;
    return { labels: isObject(labels) ? labels : {}, annotations: isObject(annotations) ? annotations : {} };
  } catch {
    return { labels: {}, annotations: {} };
  }
}

/** Whether two templates are equal once defaults are filled in and what the controller injects is left out. */
function sameTemplate(
  one: RolloutTemplate,
  other: RolloutTemplate,
  injected: Injected = { labels: [], annotations: [] },
): boolean {
  return equal(comparable(one, injected), comparable(other, { labels: [], annotations: [] }));
}

function comparable({ metadata, spec = {} }: RolloutTemplate, injected: Injected): object {
  const { serviceAccount: _deprecated, affinity, ...rest } = spec;
  const filled = applyDefaults({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: '' },
    spec: { template: { spec: rest } },
  }) as { spec: { template: { spec: Record<string, unknown> } } };
  const { serviceAccount: _filled, ...plain } = filled.spec.template.spec;
  return {
    labels: without(metadata?.labels, [rolloutKey.hash, ...injected.labels]),
    annotations: without(metadata?.annotations, injected.annotations),
    spec: plain,
    affinity: withoutRule(affinity),
  };
}

function without(
  map: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));
}

/** compat rollouts RH-10: the rule against the stable pods is injected and no part of the template. */
function withoutRule(affinity: unknown): unknown {
  if (!isObject(affinity) || !isObject(affinity.podAntiAffinity))
    return isEmpty(affinity) ? undefined : affinity;
  const { podAntiAffinity, ...rest } = affinity;
  const kept = Object.fromEntries(
    Object.entries(podAntiAffinity)
      .map(([name, terms]) => [name, Array.isArray(terms) ? terms.filter((term) => !isOurTerm(term)) : terms])
      .filter(([, terms]) => !(Array.isArray(terms) && terms.length === 0)),
  );
  const whole = { ...rest, ...(Object.keys(kept).length > 0 && { podAntiAffinity: kept }) };
  return isEmpty(whole) ? undefined : whole;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);

export const isOurTerm = (term: unknown): boolean =>
  JSON.stringify(term).includes(`"key":"${rolloutKey.hash}"`);

/** compat rollouts RH-3: the annotations of a Rollout that its ReplicaSets do not copy. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  rolloutKey.revision,
  rolloutKey.revisionHistory,
  rolloutKey.desiredReplicas,
  'notified.notifications.argoproj.io',
]);

export function copiedAnnotations({ metadata }: Rollout): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)),
  );
}

export const ownerOf = (rollout: Rollout) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  name: rollout.metadata.name,
  uid: rollout.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** compat rollouts RH-3: a new ReplicaSet, without pods. */
export function newReplicaSet(
  rollout: Rollout,
  template: RolloutTemplate,
  revision: number,
): RolloutReplicaSet {
  const { metadata, spec, status } = rollout;
  const hash = templateHash(spec?.template ?? {}, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [rolloutKey.hash]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      labels: { ...spec?.template?.metadata?.labels, [rolloutKey.hash]: hash },
      annotations: {
        ...copiedAnnotations(rollout),
        [rolloutKey.revision]: String(revision),
        [rolloutKey.desiredReplicas]: String(replicasOf(rollout)),
      },
      ownerReferences: [ownerOf(rollout)],
    },
    spec: {
      replicas: 0,
      ...(spec?.minReadySeconds && { minReadySeconds: spec.minReadySeconds }),
      selector: withHash(spec?.selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The selector, for the pods of one hash. */
export const withHash = (selector: LabelSelector = {}, hash: string): LabelSelector => ({
  ...selector,
  matchLabels: { ...selector.matchLabels, [rolloutKey.hash]: hash },
});

/** When a ReplicaSet may be scaled down, as its annotation says; undefined: it says nothing. */
export function deadlineOf(set: RolloutReplicaSet | undefined): number | undefined {
  const text = set?.metadata.annotations?.[rolloutKey.scaleDownDeadline];
  return text === undefined || text === '' ? undefined : Date.parse(text) || 0;
}

/** compat rollouts RN-9: whether the current template is a recent one, to which the way back needs no steps. */
export function isRollbackInWindow(rollout: Rollout, { fresh, stable, all }: Roles): boolean {
  const window = rollout.spec?.rollbackWindow?.revisions ?? 0;
  if (!fresh || !stable || window <= 0 || createdAt(fresh) >= createdAt(stable)) return false;
  const between = all.filter(
    (set) =>
      set.metadata.annotations?.[rolloutKey.experimentName] === undefined &&
      createdAt(set) > createdAt(fresh) &&
      createdAt(set) < createdAt(stable),
  );
  return between.length < window;
}
