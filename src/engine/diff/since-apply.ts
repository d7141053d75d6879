import { annotation, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import { isObject, type JsonObject, normalizeBuiltin } from '#kubernetes/schema';
import { fieldManager } from './field-manager.ts';
import { lastAppliedOf } from './last-applied.ts';
import { isCoveredBy, isRecordedIn, ownEntry } from './recorded.ts';

/**
 * engine X-15: whether an object declares something else than it did when it was applied last, although the diff may
 * show nothing. `target` is the object as it would be sent (after respectIgnored). False when the last
 * applied object is unknown: then only the comparison can decide.
 *
 * The last applied object is read from where Kubernetes itself keeps it, so the controller stores nothing of
 * its own: the last-applied annotation of a client-side apply, our entry in managedFields of a server-side
 * one.
 */
export function isChangedSinceApply(
  target: KubeObject,
  live: KubeObject,
  { serverSide }: { readonly serverSide: boolean },
): boolean {
  const [annotated, entered] = [changedSinceAnnotation(target, live), changedSinceEntry(target, live)];
  return (serverSide ? (entered ?? annotated) : (annotated ?? entered)) ?? false;
}

/** undefined: there is no such record, or it cannot be read. */
function changedSinceAnnotation(target: KubeObject, live: KubeObject): boolean | undefined {
  const applied = lastAppliedOf(live);
  return isObject(applied) ? !equal(applied, withoutLastApplied(target)) : undefined;
}

function withoutLastApplied(target: KubeObject): KubeObject {
  const { [annotation.lastApplied]: own, ...annotations } = target.metadata.annotations ?? {};
  return own === undefined ? target : { ...target, metadata: { ...target.metadata, annotations } };
}

/** A record in another version of the kind counts as changed: applying once more does no harm and renews it. */
function changedSinceEntry(target: KubeObject, live: KubeObject): boolean | undefined {
  const entry = ownEntry(live, fieldManager);
  if (!entry) return undefined;
  if (entry.apiVersion !== target.apiVersion) return true;
  // a server stores the canonical spelling of what it was sent
  const plain = normalizeBuiltin(target as unknown as JsonObject) as unknown as KubeObject;
  return !isRecordedIn(entry.fieldsV1, plain, live) || !isCoveredBy(plain, entry.fieldsV1);
}
