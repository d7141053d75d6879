import { isKind, type KubeObject } from '#base/model';
import { type NodeCapacity, nodeCapacity, type PodLoad, podLoad } from './hosts.ts';
import { type InfoItem, podInfo } from './pod-info.ts';

export type TrafficShare = { readonly revision: string; readonly percent: number; readonly tag?: string };

/** Properties that only some kinds have. */
export type NodeExtras = {
  readonly info?: readonly InfoItem[];
  /** Of a Knative Route or Service: the traffic split. */
  readonly traffic?: readonly TrafficShare[];
  /** Of a StatefulSet: the names its claims begin with. */
  readonly claims?: readonly string[];
  /** Of a scheduled Pod: its node and its resource requests. */
  readonly load?: PodLoad;
  /** Of a cluster Node: what it has to give. */
  readonly capacity?: NodeCapacity;
};

export type InfoOptions = {
  /** compat engine T-11: labels shown as items of every node (resource.customLabels). */
  readonly customLabels?: readonly string[];
};

/** The few facts beside health that a user expects on a node. */
export function infoOf(object: KubeObject, { customLabels = [] }: InfoOptions = {}): NodeExtras {
  const found = extrasOf(object);
  const { labels = {} } = object.metadata;
  const chosen = customLabels.flatMap((name) => (labels[name] ? [{ name, value: labels[name] }] : []));
  return chosen.length > 0 ? { ...found, info: [...(found.info ?? []), ...chosen] } : found;
}

function extrasOf(object: KubeObject): NodeExtras {
  if (isKind(object, '', 'Pod')) return { info: podInfo(object), ...podLoad(object) };
  if (isKind(object, '', 'Node')) return nodeCapacity(object);
  if (isKind(object, 'apps', 'ReplicaSet')) return revisionInfo(object);
  if (isKind(object, 'apps', 'StatefulSet') || isKind(object, 'extensions', 'StatefulSet'))
    return claimPrefixes(object);
  if (isKind(object, 'serving.knative.dev', 'Route') || isKind(object, 'serving.knative.dev', 'Service')) {
    return trafficInfo(object);
  }
  return {};
}

function revisionInfo({ metadata }: KubeObject): NodeExtras {
  const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
  return revision ? { info: [{ name: 'Revision', value: `Rev:${revision}` }] } : {};
}

type StatefulSetView = KubeObject<{ volumeClaimTemplates?: { metadata?: { name?: string } }[] }>;

/** compat engine T-9: a claim is named `<template>-<set>-<ordinal>` and does not reference its set. */
function claimPrefixes(object: KubeObject): NodeExtras {
  const templates = (object as StatefulSetView).spec?.volumeClaimTemplates ?? [];
  const claims = templates.flatMap(({ metadata }) =>
    metadata?.name ? `${metadata.name}-${object.metadata.name}-` : [],
  );
  return claims.length > 0 ? { claims } : {};
}

type Traffic = { revisionName?: string; percent?: number; tag?: string };

function trafficInfo(object: KubeObject): NodeExtras {
  const list = (object as KubeObject<unknown, { traffic?: Traffic[] }>).status?.traffic ?? [];
  const traffic = list.flatMap(({ revisionName, percent = 0, tag }): TrafficShare[] =>
    revisionName ? [{ revision: revisionName, percent, ...(tag && { tag }) }] : [],
  );
  if (traffic.length === 0) return {};
  const shares = traffic
    .filter(({ percent }) => percent > 0)
    .map(({ revision, percent }) => `${revision} ${percent}%`);
  return { traffic, ...(shares.length > 0 && { info: [{ name: 'Traffic', value: shares.join(', ') }] }) };
}
