import type { Condition } from '#base/model';
import { isObject } from '#kubernetes/schema';
import type { BackgroundTasks } from './background-tasks.ts';
import { dated } from './conditions.ts';
import { type Core, peek } from './core.ts';
import { type Item, nameOf, namespaceOf } from './item.ts';
import type { ObjectTable } from './object-table.ts';
import { create } from './write/create.ts';
import { internalWrite, plainDelete, resourceFor } from './write/internal-write.ts';
import { patch } from './write/patch.ts';
import { remove } from './write/remove.ts';
import { update } from './write/update.ts';

const manager = 'kube-controller-manager';
const collectionId = '/namespaces';

/** Creates the default objects of new namespaces and empties terminating ones (contract cluster 3.16). */
export function startNamespaces(core: Core, tasks: BackgroundTasks, rootCertificate: () => string): void {
  const tend = (name: string) => tasks.add(`namespace ${name}`, () => attend(core, name, rootCertificate));
  core.state.onCommit(({ collection, next, previous }) => {
    if (collection.id === collectionId) {
      if (next) tend(nameOf(next.item));
      return;
    }
    const left = next ? '' : namespaceOf(previous?.item ?? next ?? blank);
    if (left !== '' && isTerminating(core, left)) tend(left);
  });
  for (const { item } of core.state.collection(collectionId).list()) tend(nameOf(item));
}

const blank: Item = { apiVersion: '', kind: '', metadata: {} };

const isTerminating = (core: Core, name: string): boolean =>
  peek(core, collectionId, '', name)?.metadata.deletionTimestamp !== undefined;

function attend(core: Core, name: string, rootCertificate: () => string): void {
  const namespace = peek(core, collectionId, '', name);
  if (!namespace) return;
  if (namespace.metadata.deletionTimestamp === undefined) furnish(core, name, rootCertificate());
  else empty(core, namespace);
}

function furnish(core: Core, namespace: string, certificate: string): void {
  const make = (kind: string, name: string, fields: object) => {
    const resource = resourceFor(core, { apiVersion: 'v1', kind });
    if (peek(core, resource.collection, namespace, name)) return;
    const item = { apiVersion: 'v1', kind, metadata: { name, namespace }, ...fields } as Item;
    create(internalWrite(core, resource, manager, { namespace }), item);
  };
  make('ServiceAccount', 'default', {});
  make('ConfigMap', 'kube-root-ca.crt', { data: { 'ca.crt': certificate } });
}

/** Deletes pods first, then everything else; the namespace is deleted when it is empty. */
function empty(core: Core, namespace: Item): void {
  const name = nameOf(namespace);
  const collections = [...core.state.collections()].sort(
    (a, b) => Number(b.id === '/pods') - Number(a.id === '/pods'),
  );
  for (const collection of collections) for (const { item } of collection.list(name)) discard(core, item);
  const left = collections
    .map((collection) => ({ collection, items: collection.list(name) }))
    .filter(({ items }) => items.length > 0);
  if (left.length === 0) release(core, namespace);
  else report(core, namespace, left);
}

function discard(core: Core, item: Item): void {
  if (item.metadata.deletionTimestamp !== undefined) return;
  const writing = internalWrite(core, resourceFor(core, item), manager, item.metadata);
  remove(writing, nameOf(item), { ...plainDelete, propagationPolicy: 'Background' });
}

function release(core: Core, namespace: Item): void {
  const spec = isObject(namespace.spec) ? namespace.spec : {};
  const held = Array.isArray(spec.finalizers) ? spec.finalizers : [];
  if (!held.includes('kubernetes')) return;
  const finalizers = held.filter((finalizer) => finalizer !== 'kubernetes');
  const resource = resourceFor(core, namespace);
  const writing = internalWrite(core, resource, manager, { subresource: 'finalize' });
  update(writing, nameOf(namespace), { ...namespace, spec: { finalizers } });
}

type Left = readonly {
  readonly collection: ObjectTable;
  readonly items: readonly { readonly item: Item }[];
}[];

/** compat cluster 3.16: reports the remaining objects and the finalizers that block them. */
function report(core: Core, namespace: Item, left: Left): void {
  const remaining = left.map(
    ({ collection, items }) => `${plainName(collection.id)} has ${items.length} resource instances`,
  );
  const finalizers = new Map<string, number>();
  for (const { items } of left) {
    for (const { item } of items) {
      for (const one of item.metadata.finalizers ?? []) finalizers.set(one, (finalizers.get(one) ?? 0) + 1);
    }
  }
  const held = [...finalizers].map(([one, count]) => `${one} in ${count} resource instances`);
  const conditions = [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    fine(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${remaining.join(', ')}`,
    },
    held.length > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
        }
      : fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ];
  const before = (
    isObject(namespace.status) && Array.isArray(namespace.status.conditions)
      ? namespace.status.conditions
      : []
  ) as Condition[];
  const writing = internalWrite(core, resourceFor(core, namespace), manager, { subresource: 'status' });
  patch(writing, nameOf(namespace), {
    type: 'merge',
    body: { status: { conditions: dated(core, before, conditions) } },
  });
}

const fine = (type: string, reason: string, message: string): Condition => ({
  type,
  status: 'False',
  reason,
  message,
});

/** `apps/deployments` → `deployments.apps`, `/pods` → `pods.`, as Kubernetes prints them here. */
function plainName(collectionIdentity: string): string {
  const [group = '', plural = ''] = collectionIdentity.split('/');
  return `${plural}.${group}`;
}
