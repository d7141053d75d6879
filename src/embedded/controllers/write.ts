import { controllerOf, controllerReference, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { StoreWriter, TypeRef } from '#embedded/apiserver';
import { StatusError } from '#embedded/apiserver';
import { createMergePatch } from '#kubernetes/patch';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { at, type Key, keyOfObject, refOf, type SimulationContext } from './simulation-context.ts';

export const controllerManager: StoreWriter = { manager: 'kube-controller-manager' };

/** Sets the status; writes only the fields that differ. Fields that are undefined are removed. */
export async function writeStatus(
  context: SimulationContext,
  object: KubeObject,
  status: object,
  by: StoreWriter = controllerManager,
): Promise<void> {
  const change = mergePatch(object.status, status as JsonObject);
  if (change) await context.objects.patchStatus(refOf(object), change, by);
}

/** The merge patch that turns `before` into `after`; undefined when they are equal. A field that is undefined is removed. */
export function mergePatch(before: unknown, after: JsonObject): JsonObject | undefined {
  const patch = createMergePatch(isObject(before) ? before : {}, defined(after)) as JsonObject;
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Without the fields that are undefined. Lists are replaced whole, and JSON drops the undefined fields in them. */
function defined(object: JsonObject): JsonObject {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([name, value]) => [name, isObject(value) ? defined(value) : value]));
}

/** Changes fields of an object by a merge patch, unless they have these values already. Returns the newest object. */
export async function change(
  context: SimulationContext,
  object: KubeObject,
  fields: JsonObject,
  by: StoreWriter = controllerManager,
): Promise<KubeObject> {
  if (holds(object, fields)) return object;
  return context.objects.patch(refOf(object), { type: 'merge', body: fields }, by);
}

/** Whether a merge patch would change nothing. */
function holds(value: unknown, patch: JsonObject): boolean {
  return Object.entries(patch).every(([name, wanted]) => {
    const found = isObject(value) ? value[name] : undefined;
    if (wanted === null) return found === undefined || found === null;
    if (isObject(wanted)) return isObject(found) && holds(found, wanted);
    return equal(found, wanted);
  });
}

/** The current object; undefined also while its kind is not served. */
export function storedObject(context: SimulationContext, type: TypeRef, key: Key): KubeObject | undefined {
  try {
    return context.objects.get(at(type, key));
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** All objects of a kind in a namespace, or in all of them; empty while the kind is not served. */
export function all(context: SimulationContext, type: TypeRef, namespace?: string): readonly KubeObject[] {
  try {
    return context.objects.list(type, namespace === undefined ? {} : { namespace });
  } catch (error) {
    if (isReason(error, 'NotFound')) return [];
    throw error;
  }
}

/** The objects of a kind that this one controls. */
export function controlled(context: SimulationContext, owner: KubeObject, type: TypeRef): KubeObject[] {
  const { uid = '' } = owner.metadata;
  return context.objects
    .dependents(uid)
    .filter((object) => object.kind === type.kind && controllerOf(object)?.uid === uid)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Deletes it if it is still the same object; not found is no error. */
export async function discard(
  context: SimulationContext,
  object: KubeObject,
  by: StoreWriter = controllerManager,
  gracePeriodSeconds?: number,
): Promise<void> {
  const { uid } = object.metadata;
  try {
    await context.objects.remove(
      refOf(object),
      {
        propagationPolicy: 'Background',
        ...(uid !== undefined && { preconditions: { uid } }),
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      },
      by,
    );
  } catch (error) {
    if (!isReason(error, 'NotFound') && !isReason(error, 'Conflict')) throw error;
  }
}

export const isReason = (error: unknown, reason: string): boolean =>
  error instanceof StatusError && error.reason === reason;

/** The namespace is terminating and accepts no new objects. */
export const isTerminating = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');

/** Metadata of an object created for an owner: in its namespace, controlled by it. */
export function ownedMeta(owner: KubeObject, meta: { name: string } & Partial<KubeObject['metadata']>) {
  const { namespace } = keyOfObject(owner);
  return { ...meta, namespace, ownerReferences: [controllerReference(owner)] };
}

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
