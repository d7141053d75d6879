import { equal } from '#base/std';
import { isObject, type JsonObject, roundTrip } from '#kubernetes/schema';
import { timestamp } from '../core.ts';
import { storedVersions, withStoredVersions } from '../crd/definition.ts';
import { type Item, specOf, withField, withMeta } from '../item.ts';
import { hasSubresource, type ServedResource } from '../kinds.ts';
import { templateGeneration } from './default.ts';
import { qualityOf } from './quality.ts';
import type { Writing } from './writing.ts';

/** The fields of a new object that the server sets: identity, dates, and an empty status. */
export function prepareForCreate({ core, resource }: Writing, item: Item): Item {
  const fresh = withMeta(item, {
    uid: item.metadata.uid ?? core.ids.uuid(),
    creationTimestamp: timestamp(core),
    generation: resource.hasGeneration ? 1 : item.metadata.generation,
    resourceVersion: undefined,
    selfLink: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
  if (resource.collection === '/serviceaccounts') return withNamesOnly(fresh);
  if (!hasSubresource(resource, 'status') || keepsStatus.has(resource.collection)) return fresh;
  return withField(fresh, 'status', blankStatus(resource, fresh));
}

/** compat cluster 3.12: of the secrets of a service account only the names are kept. */
function withNamesOnly(account: Item): Item {
  const { secrets } = account as { secrets?: readonly JsonObject[] };
  if (!Array.isArray(secrets)) return account;
  return withField(
    account,
    'secrets',
    secrets.map(({ name }) => (name === undefined ? {} : { name })),
  );
}

/** compat cluster 3.8: a node is created with its status; the definition of a custom kind with none at all. */
const keepsStatus = new Set(['/nodes']);

/** compat cluster 3.12: Go prints a status held by value even when it is empty. */
function blankStatus({ type, collection, custom }: ServedResource, item: Item): unknown {
  const status = type.fields.get('status')?.type;
  if (custom || status?.kind !== 'struct') return undefined;
  return roundTrip(initialStatus[collection]?.(item) ?? {}, status);
}

const initialStatus: Readonly<Record<string, (item: Item) => JsonObject>> = {
  '/namespaces': () => ({ phase: 'Active' }),
  '/pods': ({ spec }) => ({ phase: 'Pending', qosClass: qualityOf(spec) }),
  '/persistentvolumeclaims': () => ({ phase: 'Pending' }),
  '/persistentvolumes': ({ metadata: { creationTimestamp } }) => ({
    phase: 'Pending',
    lastPhaseTransitionTime: creationTimestamp,
  }),
  'apiextensions.k8s.io/customresourcedefinitions': (item) => ({ storedVersions: storedVersions(item) }),
};

/** Resets the fields that this endpoint may not change; a changed spec increments the generation. */
export function prepareForUpdate({ resource, subresource }: Writing, live: Item, next: Item): Item {
  const restored = withMeta(next, {
    name: live.metadata.name,
    namespace: live.metadata.namespace,
    uid: next.metadata.uid || live.metadata.uid,
    creationTimestamp: live.metadata.creationTimestamp,
    generation: live.metadata.generation,
    resourceVersion: live.metadata.resourceVersion,
    selfLink: undefined,
    deletionTimestamp: live.metadata.deletionTimestamp ?? next.metadata.deletionTimestamp,
    deletionGracePeriodSeconds:
      next.metadata.deletionGracePeriodSeconds ?? live.metadata.deletionGracePeriodSeconds,
  });
  if (resource.collection === '/serviceaccounts') return withNamesOnly(restored);
  const counted = countTemplates(resource, live, keepOthers(resource, subresource, live, restored));
  const allowed =
    resource.collection === 'apiextensions.k8s.io/customresourcedefinitions'
      ? withStoredVersions(counted, subresource)
      : counted;
  // compat cluster 3.8: annotations count on a Deployment, but not those its controller writes along with the
  // status
  const counts = resource.hasGeneration && subresource !== 'status';
  return counts && isNewGeneration(resource, live, allowed)
    ? withMeta(allowed, { generation: (live.metadata.generation ?? 0) + 1 })
    : allowed;
}

/** compat cluster 3.12: each new template of a DaemonSet increments its count, whatever the writer sets. */
function countTemplates({ collection }: ServedResource, live: Item, next: Item): Item {
  if (collection !== 'apps/daemonsets') return next;
  const count = Number(live.metadata.annotations?.[templateGeneration] ?? 1);
  const isNew = !equal(specOf(live).template, specOf(next).template);
  const annotations = {
    ...next.metadata.annotations,
    [templateGeneration]: String(isNew ? count + 1 : count),
  };
  return withMeta(next, { annotations });
}

function keepOthers(resource: ServedResource, subresource: string, live: Item, next: Item): Item {
  if (subresource === 'status' || subresource === 'approval') return onlyStatus(resource, live, next);
  if (subresource in podPaths) return podPaths[subresource]?.(live, next) ?? next;
  if (subresource === 'finalize') {
    const finalizers = isObject(next.spec) ? next.spec.finalizers : undefined;
    return withField(live, 'spec', finalizers === undefined ? {} : { finalizers });
  }
  return hasSubresource(resource, 'status') ? withField(next, 'status', live.status) : next;
}

/** compat cluster 3.8: subresources that write one part of a pod's spec. */
const podPaths: Readonly<Record<string, (live: Item, next: Item) => Item>> = {
  ephemeralcontainers: (live, next) =>
    ownedAs(next, live, { ...specOf(live), ephemeralContainers: specOf(next).ephemeralContainers }),
  resize: (live, next) =>
    ownedAs(next, live, {
      ...specOf(live),
      containers: resized(specOf(live).containers, specOf(next).containers),
      ...(Array.isArray(specOf(live).initContainers) && {
        initContainers: resized(specOf(live).initContainers, specOf(next).initContainers),
      }),
    }),
};

const ownedAs = ({ metadata: { managedFields } }: Item, live: Item, spec: JsonObject): Item =>
  withField(withMeta(live, { managedFields }), 'spec', spec);

function resized(live: unknown, next: unknown): unknown {
  if (!Array.isArray(live) || !Array.isArray(next)) return live;
  const wanted = new Map(next.filter(isObject).map((container) => [container.name, container.resources]));
  return live.map((container) =>
    isObject(container) && wanted.has(container.name)
      ? { ...container, resources: wanted.get(container.name) ?? {} }
      : container,
  );
}

function onlyStatus(resource: ServedResource, live: Item, next: Item): Item {
  const { managedFields } = next.metadata;
  if (resource.custom) return withField(withMeta(live, { managedFields }), 'status', next.status);
  const kept =
    resource.collection === 'apps/deployments' ? withMeta(next, { labels: live.metadata.labels }) : next;
  const { ownerReferences } = live.metadata;
  const meta = resource.collection === '/pods' ? withMeta(kept, { ownerReferences }) : kept;
  return withField({ ...live, metadata: meta.metadata }, 'status', next.status);
}

/**
 * compat cluster 3.8: a changed spec counts, and a Deployment's annotations, which its ReplicaSets copy; for
 * custom kinds everything but metadata and a separate status.
 */
function isNewGeneration(resource: ServedResource, live: Item, next: Item): boolean {
  if (resource.custom) return !equal(countedOf(resource, live), countedOf(resource, next));
  const fields = countedFields[resource.collection] ?? ['spec'];
  if (fields.some((field) => !equal(live[field], next[field]))) return true;
  const isCopied = resource.collection === 'apps/deployments';
  return isCopied && !equal(live.metadata.annotations ?? {}, next.metadata.annotations ?? {});
}

const countedFields: Readonly<Record<string, readonly string[]>> = {
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': ['webhooks'],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': ['webhooks'],
  'discovery.k8s.io/endpointslices': ['endpoints', 'ports', 'addressType'],
  '/podtemplates': ['template'],
  'scheduling.k8s.io/priorityclasses': [],
};

function countedOf(resource: ServedResource, item: Item): unknown {
  const { metadata: _metadata, status, ...rest } = item;
  return hasSubresource(resource, 'status') ? rest : { ...rest, status };
}
