import {
  gvkOf,
  type Health,
  isKind,
  type KubeObject,
  keyFrom,
  keyOf,
  type OwnerReference,
  type ResourceKey,
} from '#base/model';
import { type HealthOptions, health } from '../health/health.ts';
import { imagesOf } from './images.ts';
import { networkingOf } from './networking.ts';
import type { NetworkingInfo } from './networking-info.ts';
import { type InfoOptions, infoOf, type NodeExtras } from './node-info.ts';

/** A resource as the REST API names it. */
export type NodeRef = {
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
};

/** One live object as the tree needs it: small enough to keep of every object in a cluster (engine T-18). */
export type LiveNode = NodeRef &
  NodeExtras & {
    readonly key: ResourceKey;
    readonly owners: readonly Owner[];
    readonly resourceVersion?: string;
    readonly createdAt?: string;
    readonly images?: readonly string[];
    readonly health?: Health;
    readonly networkingInfo?: NetworkingInfo;
  };

/** By uid where the object has an owner reference with one, by key where the edge is inferred. */
type Owner = { readonly uid: string } | { readonly key: ResourceKey };

/** The tree node of an object. */
export function nodeOf(object: KubeObject, options: HealthOptions & InfoOptions = {}): LiveNode {
  const { uid, resourceVersion, creationTimestamp } = object.metadata;
  const images = imagesOf(object);
  const judged = health(object, options);
  const networkingInfo = networkingOf(object);
  return {
    ...refOf(object),
    key: keyOf(object),
    owners: ownersOf(object),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
    ...(creationTimestamp && { createdAt: creationTimestamp }),
    ...(images.length > 0 && { images }),
    ...(judged && { health: judged }),
    ...(networkingInfo && { networkingInfo }),
    ...infoOf(object, options),
  };
}

export function refOf(object: KubeObject): NodeRef {
  const { group, version, kind } = gvkOf(object);
  const { name, namespace } = object.metadata;
  return { ...(group && { group }), version, kind, ...(namespace && { namespace }), name };
}

/** compat engine T-9: the owner references, and the edges that controllers leave to be inferred. */
function ownersOf(object: KubeObject): Owner[] {
  const { ownerReferences = [], namespace = '' } = object.metadata;
  return [
    ...ownerReferences.flatMap((reference) => ownersBy(reference, namespace)),
    ...inferredOwners(object),
  ];
}

/**
 * Without a uid the owner is matched by name, beside the object or cluster-wide: the reference does not say
 * which.
 */
function ownersBy({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): Owner[] {
  if (uid) return [{ uid }];
  const named = { group: gvkOf({ apiVersion, kind }).group, kind, name };
  const wide = { key: keyFrom(named) };
  return namespace ? [{ key: keyFrom({ ...named, namespace }) }, wide] : [wide];
}

/** The names an object's parents go by: uids, keys, or what the claims of a StatefulSet begin with (engine T-9). */
export function parentNames(object: KubeObject): string[] {
  const { namespace = '', name } = object.metadata;
  return parentNamesOf({ kind: object.kind, namespace, name, owners: ownersOf(object) });
}

export function parentNamesOf(node: Pick<LiveNode, 'kind' | 'namespace' | 'name' | 'owners'>): string[] {
  const { kind, namespace = '', name, owners } = node;
  if (kind === 'PersistentVolumeClaim' && owners.length === 0)
    return [claimName(namespace, name.replace(/\d+$/, ''))];
  return owners.map((owner) => ('uid' in owner ? owner.uid : owner.key));
}

/** Every name by which the children of a node may reference it: the other side of parentNames(). */
export function namesOf({ uid, key, namespace = '', claims = [] }: LiveNode): string[] {
  return [...(uid ? [uid] : []), key, ...claims.map((prefix) => claimName(namespace, prefix))];
}

const claimName = (namespace: string, prefix: string): string => `claim ${namespace}/${prefix}`;

function inferredOwners(object: KubeObject): Owner[] {
  const { name, namespace = '', annotations = {} } = object.metadata;
  if (isKind(object, '', 'Endpoints') && !object.metadata.ownerReferences?.length)
    return [{ key: keyFrom({ group: '', kind: 'Service', namespace, name }) }];
  const account = annotations['kubernetes.io/service-account.name'];
  if (isKind(object, '', 'Secret') && account && isAccountToken(object)) {
    return [{ key: keyFrom({ group: '', kind: 'ServiceAccount', namespace, name: account }) }];
  }
  const operatorGroup = annotations['olm.operatorGroup'];
  if (isKind(object, 'operators.coreos.com', 'ClusterServiceVersion') && operatorGroup) {
    const group = 'operators.coreos.com';
    return [{ key: keyFrom({ group, kind: 'OperatorGroup', namespace, name: operatorGroup }) }];
  }
  return [];
}

const isAccountToken = (object: KubeObject): boolean =>
  (object as KubeObject & { type?: string }).type === 'kubernetes.io/service-account-token';
