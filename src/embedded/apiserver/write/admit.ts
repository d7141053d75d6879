import type { KubeObject } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { refuseEscalation } from '../access/escalation.ts';
import { peek } from '../core.ts';
import { completeDefinition, unknownFormats } from '../crd/definition.ts';
import { admitFault, faultTable } from '../faults/objects.ts';
import { type Item, specOf, withField, withMeta } from '../item.ts';
import { admitPod } from './admit-pod.ts';
import { allocateService } from './allocate.ts';
import { refuseBeyondLimits } from './limits.ts';
import { refuseWithoutNamespace } from './namespace.ts';
import { refuseBeyondQuota } from './quota.ts';
import { mutatedByHooks, reviewWrite } from './review.ts';
import type { Writing } from './writing.ts';

type Admit = (writing: Writing, item: Item, live: Item | undefined) => Item;

/**
 * The fields that the cluster itself adds to a new object, after defaults and before validation; they have no
 * field manager.
 */
export function admitNew(writing: Writing, item: Item): Item {
  refuseWithoutNamespace(writing, item.metadata.name ?? '');
  return throughWebhooks(
    writing,
    admission[writing.resource.collection]?.(writing, item, undefined) ?? item,
    undefined,
  );
}

/** The same for an object that replaces `live`. */
export function admitChanged(writing: Writing, live: Item, item: Item): Item {
  if (writing.subresource !== '') return mutatedByHooks(writing, item, live) ?? item;
  return throughWebhooks(
    writing,
    admission[writing.resource.collection]?.(writing, item, live) ?? item,
    live,
  );
}

function throughWebhooks(writing: Writing, item: Item, live: Item | undefined): Item {
  const seen = callWebhooks(writing, item, live, 'mutate');
  return writing.session ? (mutatedByHooks(writing, seen, live) ?? seen) : seen;
}

/** The validating webhooks, after the cluster's own validation. Throws StatusError. */
export function reviewed(writing: Writing, item: Item, live: Item | undefined): Item {
  if (writing.subresource !== '') {
    reviewWrite(writing, item, live);
    return item;
  }
  if (!live && limited.has(writing.resource.collection)) refuseBeyondLimits(writing, item);
  callWebhooks(writing, item, live, 'validate');
  reviewWrite(writing, item, live);
  refuseBeyondQuota(writing, item, live);
  return item;
}

const limited = new Set(['/pods', '/persistentvolumeclaims']);

function callWebhooks(
  { core, options }: Writing,
  item: Item,
  live: Item | undefined,
  phase: 'mutate' | 'validate',
): Item {
  return core.webhooks({
    object: item as unknown as KubeObject,
    live: live as unknown as KubeObject | undefined,
    user: options.user.name,
    phase,
    warn: options.warn,
    settings: (namespace, name) =>
      peek(core, '/configmaps', namespace, name)?.data as Record<string, string> | undefined,
  }) as unknown as Item;
}

const admission: Readonly<Record<string, Admit>> = {
  '/namespaces': admitNamespace,
  '/pods': admitPod,
  '/services': allocateService,
  '/secrets': foldStringData,
  'batch/jobs': admitJob,
  '/persistentvolumeclaims': admitClaim,
  '/persistentvolumes': (_writing, item, live) =>
    live ? item : protectedBy(item, 'kubernetes.io/pv-protection'),
  'storage.k8s.io/volumeattributesclasses': (_writing, item, live) =>
    live ? item : protectedBy(item, 'kubernetes.io/vac-protection'),
  'networking.k8s.io/ingresses': admitIngress,
  'apiextensions.k8s.io/customresourcedefinitions': admitDefinition,
  [faultTable]: (_writing, item) => admitFault(item),
  'rbac.authorization.k8s.io/roles': admitRole,
  'rbac.authorization.k8s.io/clusterroles': admitRole,
  'rbac.authorization.k8s.io/rolebindings': admitRole,
  'rbac.authorization.k8s.io/clusterrolebindings': admitRole,
};

function admitRole(
  { core, resource, namespace, options: { user } }: Writing,
  item: Item,
  live: Item | undefined,
): Item {
  if (core.access.usesRoles) refuseEscalation({ state: core.state, user, resource, namespace, item, live });
  return item;
}

function admitNamespace(_writing: Writing, item: Item, live: Item | undefined): Item {
  const labels = { ...item.metadata.labels, 'kubernetes.io/metadata.name': item.metadata.name ?? '' };
  const given = (specOf(item).finalizers ?? []) as string[];
  const fresh = given.includes('kubernetes') ? given : [...given, 'kubernetes'];
  const finalizers = live ? specOf(live).finalizers : fresh;
  return withField(withMeta(item, { labels }), 'spec', { ...specOf(item), finalizers });
}

/** compat cluster 3.12: stringData is merged into data; it is never stored or returned. */
function foldStringData(_writing: Writing, item: Item): Item {
  if (!isObject(item.stringData)) return item;
  const folded = Object.entries(item.stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  const data = { ...(isObject(item.data) && item.data), ...Object.fromEntries(folded) };
  return withField(withField(item, 'stringData', undefined), 'data', data);
}

/**
 * compat cluster 3.12: the selector of a Job without one uses the Job's uid, which the template's pods have as a
 * label.
 */
function admitJob(writing: Writing, item: Item, live: Item | undefined): Item {
  if (live || specOf(item).manualSelector === true) return item;
  const uid = writing.core.ids.uuid();
  const name = item.metadata.name ?? '';
  const template = isObject(specOf(item).template) ? (specOf(item).template as JsonObject) : {};
  const metadata = isObject(template.metadata) ? template.metadata : {};
  const labels = {
    ...(isObject(metadata.labels) && metadata.labels),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const given = specOf(item).selector as { matchLabels?: JsonObject } | undefined;
  const matchLabels = { ...given?.matchLabels, 'batch.kubernetes.io/controller-uid': uid };
  const selector = { ...given, matchLabels };
  const spec = { ...specOf(item), selector, template: { ...template, metadata: { ...metadata, labels } } };
  const own = item.metadata.labels ?? {};
  const isBare = Object.keys(own).length === 0;
  return withField(withMeta(item, { uid, labels: isBare ? labels : own }), 'spec', spec);
}

const defaultClass = (writing: Writing, collection: string, annotation: string): string | undefined =>
  writing.core.state
    .collection(collection)
    .list()
    .find(({ item }) => item.metadata.annotations?.[annotation] === 'true')?.item.metadata.name;

function admitClaim(writing: Writing, item: Item, live: Item | undefined): Item {
  const sourced = withSourceRef(item);
  return live ? sourced : withDefaultClass(writing, protectedBy(sourced, 'kubernetes.io/pvc-protection'));
}

/** compat cluster 3.12: a claim's data source is written to both fields, dataSource and dataSourceRef. */
function withSourceRef(item: Item): Item {
  const { dataSource, dataSourceRef, ...spec } = specOf(item);
  if ((dataSource === undefined) === (dataSourceRef === undefined)) return item;
  const isElsewhere = isObject(dataSourceRef) && Boolean(dataSourceRef.namespace);
  if (isElsewhere) return item;
  const source = dataSource ?? dataSourceRef;
  return withField(item, 'spec', { ...spec, dataSource: source, dataSourceRef: source });
}

/**
 * compat cluster 3.12: storage in use must not be deleted; a controller removes the finalizer when it is not in
 * use.
 */
function protectedBy(item: Item, finalizer: string): Item {
  const { finalizers = [] } = item.metadata;
  return finalizers.includes(finalizer) ? item : withMeta(item, { finalizers: [...finalizers, finalizer] });
}

function withDefaultClass(writing: Writing, item: Item): Item {
  if (specOf(item).storageClassName !== undefined) return item;
  const annotation = 'storageclass.kubernetes.io/is-default-class';
  const storageClassName = defaultClass(writing, 'storage.k8s.io/storageclasses', annotation);
  return storageClassName === undefined
    ? item
    : withField(item, 'spec', { ...specOf(item), storageClassName });
}

function admitIngress(writing: Writing, item: Item, live: Item | undefined): Item {
  const named = specOf(item).ingressClassName ?? item.metadata.annotations?.['kubernetes.io/ingress.class'];
  if (live || named !== undefined) return item;
  const annotation = 'ingressclass.kubernetes.io/is-default-class';
  const ingressClassName = defaultClass(writing, 'networking.k8s.io/ingressclasses', annotation);
  return ingressClassName === undefined
    ? item
    : withField(item, 'spec', { ...specOf(item), ingressClassName });
}

function admitDefinition({ options }: Writing, item: Item): Item {
  for (const format of unknownFormats(item)) options.warn(`unrecognized format ${JSON.stringify(format)}`);
  return completeDefinition(item);
}
