import { groupOf, type KubeObject, type OwnerReference } from './kube-object.ts';

/** The one owner that controls the object; undefined when it has none. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The object has an owner, so it is neither compared nor pruned (engine T-12). */
export function isOwned(object: KubeObject): boolean {
  return (object.metadata.ownerReferences?.length ?? 0) > 0;
}

/**
 * Whether a reference matches this object: by uid, and by group, kind and name where a uid is missing on
 * either side (engine T-9). The version of the reference does not matter.
 */
export function refersTo(reference: OwnerReference, owner: KubeObject): boolean {
  if (reference.uid && owner.metadata.uid) return reference.uid === owner.metadata.uid;
  return (
    reference.kind === owner.kind &&
    reference.name === owner.metadata.name &&
    groupOf(reference) === groupOf(owner)
  );
}

/** Whether any of the object's owner references matches this owner. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  return object.metadata.ownerReferences?.some((reference) => refersTo(reference, owner)) ?? false;
}

/** The reference a controller puts on what it creates: it controls, and it blocks foreground deletion. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid = '' } = owner.metadata;
  const { apiVersion, kind } = owner;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
