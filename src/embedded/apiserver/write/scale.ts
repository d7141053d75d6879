import { type LabelSelector, printSelector, selectorOf } from '#base/model';
import { findType, isObject, type JsonObject } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { type Item, itemKey, withMeta } from '../item.ts';
import { apiVersionOf, type ScalePaths, type ServedResource } from '../kinds.ts';
import { conflict, invalid, notFound } from '../status.ts';
import { Stored } from '../stored.ts';
import { applied, appliedObject } from './apply.ts';
import { complete } from './default.ts';
import { checkIdentity } from './identity.ts';
import { recordManager } from './managers.ts';
import { type PatchBody, readPatched } from './patch.ts';
import { reviewWrite } from './review.ts';
import { ownersOfParent, scaleWithOwners } from './scale-owners.ts';
import { replace } from './update.ts';
import { tableFor, type Writing } from './writing.ts';

const builtinPaths: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: undefined };

const pathsOf = ({ custom }: ServedResource): ScalePaths => custom?.scale ?? builtinPaths;

/** The Scale of an object: its desired and current replicas, and their selector. */
function scaleOf(resource: ServedResource, live: Item): Item {
  const paths = pathsOf(resource);
  const selector = paths.selector === undefined ? selectorText(live) : at(live, paths.selector);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as Item['metadata'],
    spec: withoutZero(at(live, paths.spec)),
    status: { replicas: at(live, paths.status) ?? 0, ...(selector ? { selector } : {}) },
  };
}

const withoutZero = (replicas: unknown): JsonObject => (replicas ? { replicas } : {});

/** Wraps a Scale like a stored object, so that it is served like one. */
export const scaleStored = (resource: ServedResource, { key, item, rv }: Stored): Stored =>
  new Stored(key, scaleOf(resource, item), rv);

/** The kind of a Scale for decoding, whatever it belongs to. */
export function scaleKind(resource: ServedResource): ServedResource {
  const { custom: _custom, ...rest } = resource;
  const gvk = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return { ...rest, ...gvk, type: findType(gvk) ?? rest.type };
}

/** Changes only the replica count; the writer owns it as subresource `scale`. */
export function writeScale(
  writing: Writing,
  name: string,
  change: Item | (PatchBody & { readonly force?: boolean }),
): Stored {
  const { resource, namespace } = writing;
  const live = tableFor(writing).get(itemKey(namespace, name));
  if (!live) throw notFound(resource, name);
  const path = pathsOf(resource).spec.split('.');
  const before = scaleWithOwners(scaleOf(resource, live.item), live.item, path);
  const scale = 'metadata' in change ? change : changedScale(writing, before, change);
  checkIdentity(scale, name, writing);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion && resourceVersion !== live.item.metadata.resourceVersion)
    throw conflict(resource, name);
  const replicas = (scale.spec as { replicas?: unknown } | undefined)?.replicas ?? 0;
  if (Number(replicas) < 0) throw negative(resource, name, replicas);
  // compat cluster 3.8: a PUT has no managedFields, and so leaves the replica count without an owner
  const managedFields = ownersOfParent(live.item, scale.metadata.managedFields ?? [], {
    path,
    apiVersion: apiVersionOf(resource),
  });
  const parent = put(convert(live.item, resource), path, replicas) as Item;
  const next = complete(withMeta(parent, { managedFields }), resource);
  reviewWrite(writing, scale, scaleOf(resource, live.item), { kind: scaleKind(resource) });
  return scaleStored(resource, replace({ ...writing, subresource: '', isReviewed: true }, live, next));
}

function negative({ custom, group, kind }: ServedResource, name: string, value: unknown): Error {
  const why = custom
    ? { field: '.spec.replicas', detail: 'should be a non-negative integer' }
    : { field: 'spec.replicas', detail: 'must be greater than or equal to 0' };
  const of = custom ? { group, kind } : { group: 'autoscaling', kind: 'Scale' };
  return invalid(of, name, [{ type: 'Invalid value', value, ...why }]);
}

function changedScale(
  writing: Writing,
  before: Item,
  change: PatchBody & { readonly force?: boolean },
): Item {
  const asScale = { ...writing, resource: scaleKind(writing.resource) };
  if (change.type !== 'apply') return recordManager(asScale, before, readPatched(asScale, before, change));
  return applied(asScale, before, appliedObject(change.body, asScale.resource), change.force === true);
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, step) => (isObject(found) ? found[step] : undefined), value);
}

function put(value: unknown, [first = '', ...rest]: readonly string[], leaf: unknown): JsonObject {
  const object = isObject(value) ? value : {};
  return { ...object, [first]: rest.length === 0 ? leaf : put(object[first], rest, leaf) };
}

/** compat cluster 3.8: built-in kinds print their label selector; a ReplicationController's is a plain map. */
function selectorText(live: Item): string {
  const selector = at(live, 'spec.selector');
  if (!isObject(selector)) return '';
  const isMap = live.kind === 'ReplicationController';
  return printSelector(selectorOf((isMap ? { matchLabels: selector } : selector) as LabelSelector));
}
