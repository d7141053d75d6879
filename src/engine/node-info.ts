import { isKind, type KubeObject } from '#model';

export type InfoItem = { readonly name: string; readonly value: string };
export type TrafficShare = { readonly revision: string; readonly percent: number; readonly tag?: string };

/** What only some kinds have to show. */
export type NodeExtras = {
  readonly info?: readonly InfoItem[];
  /** Of a Knative Route or Service: who gets how much. */
  readonly traffic?: readonly TrafficShare[];
  /** Of a StatefulSet: the names its claims begin with. */
  readonly claims?: readonly string[];
};

/** The few facts beside health that a person looks for on a node. */
export function infoOf(object: KubeObject): NodeExtras {
  if (isKind(object, '', 'Pod')) return { info: podInfo(object) };
  if (isKind(object, 'apps', 'ReplicaSet')) return revisionInfo(object);
  if (isKind(object, 'apps', 'StatefulSet')) return claimPrefixes(object);
  if (isKind(object, 'serving.knative.dev', 'Route') || isKind(object, 'serving.knative.dev', 'Service')) {
    return trafficInfo(object);
  }
  return {};
}

type ContainerStatus = {
  ready?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string }; terminated?: { reason?: string } };
};
type PodView = KubeObject<
  { nodeName?: string; containers?: unknown[] },
  { phase?: string; reason?: string; containerStatuses?: ContainerStatus[] }
>;

function podInfo(object: KubeObject): InfoItem[] {
  const { spec, status, metadata } = object as PodView;
  const containers = status?.containerStatuses ?? [];
  const waiting = containers
    .map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason)
    .find(Boolean);
  const reason = metadata.deletionTimestamp ? 'Terminating' : (waiting ?? status?.reason ?? status?.phase);
  const ready = containers.filter((container) => container.ready).length;
  const restarts = containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return [
    ...(reason ? [{ name: 'Status Reason', value: reason }] : []),
    ...(spec?.nodeName ? [{ name: 'Node', value: spec.nodeName }] : []),
    { name: 'Containers', value: `${ready}/${spec?.containers?.length ?? containers.length}` },
    ...(restarts > 0 ? [{ name: 'Restart Count', value: String(restarts) }] : []),
  ];
}

function revisionInfo({ metadata }: KubeObject): NodeExtras {
  const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
  return revision ? { info: [{ name: 'Revision', value: `Rev:${revision}` }] } : {};
}

type StatefulSetView = KubeObject<{ volumeClaimTemplates?: { metadata?: { name?: string } }[] }>;

/** compat T-9: a claim is named `<template>-<set>-<ordinal>` and says nothing of its set. */
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
