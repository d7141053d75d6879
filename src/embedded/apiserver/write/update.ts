import { equal } from '#base/std';
import { convert, toKept } from '../convert.ts';
import { type Item, itemKey, withMeta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { conflict, type FieldError, invalid, notFound, plainFailure } from '../status.ts';
import { Stored } from '../stored.ts';
import { unsignedProblem } from '../unsigned.ts';
import { admitChanged, reviewed } from './admit.ts';
import { create, inNamespace } from './create.ts';
import { completeTracked } from './default.ts';
import { withoutEmptyLists } from './empty-lists.ts';
import { checkIdentity } from './identity.ts';
import { recordManager } from './managers.ts';
import { prepareForUpdate } from './prepare.ts';
import { storageKey } from './storage-key.ts';
import { validateChanged } from './validate.ts';
import { settle, tableFor, type Writing, type Written } from './writing.ts';

/** Replaces an object by a decoded one (PUT). Some kinds are created when they are missing. */
export function update(writing: Writing, name: string, input: Item): Written {
  const { resource, namespace, subresource } = writing;
  checkIdentity(input, name, writing);
  const item = inNamespace(writing, input);
  const live = tableFor(writing).get(itemKey(namespace, name));
  if (!live) {
    if (!createdByUpdate.has(resource.collection) || subresource !== '') throw notFound(resource, name);
    return {
      stored: create(writing, withMeta(item, { uid: undefined, resourceVersion: undefined })),
      created: true,
    };
  }
  if (subresource === '' && !item.metadata.resourceVersion && isConditional(resource)) {
    throw invalid({ group: resource.group, kind: resource.plural }, name, [versionRequired]);
  }
  const before = convert(live.item, resource);
  refuseOther(writing, before, item);
  const next = completeTracked(withVersion(item, before), resource);
  return { stored: replace(writing, live, recordManager(writing, before, next)), created: false };
}

/** The rest of an update, for an object whose managedFields are complete. */
export function replace(writing: Writing, live: Stored, next: Item): Stored {
  const { resource } = writing;
  const before = convert(live.item, resource);
  refuseStale(resource, before, next);
  const prepared = prepareForUpdate(writing, before, admitChanged(writing, before, next));
  const checked = reviewed(writing, validateChanged(writing, before, prepared), before);
  const kept = toKept(withoutEmptyLists(resource, checked), resource);
  if (isFinished(kept)) return finish(writing, live, kept);
  return isSame(live.item, kept) ? live : settle(writing, kept);
}

/** compat cluster 3.6: fields that a PUT may leave out are taken from the live object. */
const withVersion = (item: Item, live: Item): Item =>
  withMeta(item, {
    resourceVersion: isVersion(item) ? item.metadata.resourceVersion : live.metadata.resourceVersion,
    uid: item.metadata.uid || live.metadata.uid,
  });

/** compat cluster 3.6: version zero counts as none. */
const isVersion = ({ metadata }: Item): boolean =>
  metadata.resourceVersion !== undefined && !/^0*$/.test(metadata.resourceVersion);

/** compat cluster 3.6: a uid in a PUT is a precondition, reported in the words of the store that checks it. */
function refuseOther({ resource, namespace }: Writing, live: Item, { metadata }: Item): void {
  const { uid, name = '' } = metadata;
  if (!uid || uid === live.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  const key = storageKey(resource, namespace, name);
  throw conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

function refuseStale(resource: ServedResource, live: Item, next: Item): void {
  const { resourceVersion, name = '' } = next.metadata;
  const problem = resourceVersion ? unsignedProblem(resourceVersion) : undefined;
  if (problem !== undefined) throw plainFailure(problem);
  if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) throw conflict(resource, name);
}

const versionRequired: FieldError = {
  type: 'Invalid value',
  field: 'metadata.resourceVersion',
  value: 0,
  detail: 'must be specified for an update',
};

/** compat cluster 3.6: kinds that require a resourceVersion in an update. */
const conditional = new Set([
  'apiextensions.k8s.io/customresourcedefinitions',
  'coordination.k8s.io/leases',
  'policy/poddisruptionbudgets',
  'node.k8s.io/runtimeclasses',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/volumeattachments',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
]);
const isConditional = (resource: ServedResource): boolean =>
  resource.custom !== undefined || conditional.has(resource.collection);

/** compat cluster 3.6: kinds that a PUT creates when they are missing. */
const createdByUpdate = new Set([
  'coordination.k8s.io/leases',
  '/events',
  '/services',
  '/endpoints',
  '/limitranges',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'node.k8s.io/runtimeclasses',
]);

/** Marked as deleted, and no finalizer or grace period holds it. */
export function isFinished({ metadata, kind, apiVersion, spec }: Item): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers?.length ?? 0) > 0) return false;
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const held = (spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
  return !(kind === 'Namespace' && apiVersion === 'v1' && held.length > 0);
}

/** The write that removes the last finalizer deletes the object; its response is the object as it last was. */
function finish(writing: Writing, live: Stored, last: Item): Stored {
  if (writing.options.dryRun) return settle(writing, last);
  // compat cluster 3.3: the watch event has the last stored state, and the returned object never had a version of
  // its own
  writing.core.state.remove(tableFor(writing), live.key);
  return new Stored(live.key, last, live.rv);
}

/** compat cluster 3.2: a write that changes nothing, or only the times in managedFields, is not stored. */
function isSame(live: Item, next: Item): boolean {
  if (equal(live.metadata.managedFields, next.metadata.managedFields)) return equal(live, next);
  return equal(untimed(live), untimed(next));
}

const untimed = (item: Item): Item =>
  withMeta(item, {
    managedFields: item.metadata.managedFields?.map((entry) => ({ ...entry, time: undefined })),
  });
