import { type LabelSelector, printSelector, selectorOf } from '#model';
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation } from '#patch';
import { isObject, type JsonObject } from '#schema';
import { convert } from '../convert.ts';
import { type Item, itemKey } from '../item.ts';
import type { Resource, ScalePaths } from '../kinds.ts';
import { badRequest, conflict, invalid, notFound, notSupportedYet } from '../status.ts';
import { Stored } from '../stored.ts';
import { complete } from './default.ts';
import { recordManager } from './managers.ts';
import type { PatchBody } from './patch.ts';
import { replace } from './update.ts';
import { shelfFor, type Writing } from './writing.ts';

const builtinPaths: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: undefined };

const pathsOf = ({ custom }: Resource): ScalePaths => custom?.scale ?? builtinPaths;

/** The Scale of an object: how many are wanted, how many there are, and which. */
function scaleOf(resource: Resource, live: Item): Item {
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

/** Wraps a Scale like a stored object, so that it is answered like one. */
export const scaleStored = (resource: Resource, { key, item, rv }: Stored): Stored =>
  new Stored(key, scaleOf(resource, item), rv);

/** Changes only the wanted number; ownership of it goes to the writer, as subresource `scale`. */
export function writeScale(writing: Writing, name: string, change: Item | PatchBody): Stored {
  const { resource, namespace } = writing;
  const live = shelfFor(writing).get(itemKey(namespace, name));
  if (!live) throw notFound(resource, name);
  const scale = 'metadata' in change ? change : patchedScale(scaleOf(resource, live.item), change);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion && resourceVersion !== live.item.metadata.resourceVersion)
    throw conflict(resource, name);
  const replicas = (scale.spec as { replicas?: unknown } | undefined)?.replicas ?? 0;
  if (!Number.isInteger(replicas) || Number(replicas) < 0) {
    const detail = 'must be greater than or equal to 0';
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      { type: 'Invalid value', field: 'spec.replicas', value: replicas, detail },
    ]);
  }
  const before = convert(live.item, resource);
  const next = complete(put(before, pathsOf(resource).spec.split('.'), replicas) as Item, resource);
  const asMain = { ...writing, subresource: '' };
  return scaleStored(resource, replace(asMain, live, recordManager(writing, before, next)));
}

function patchedScale(scale: Item, { type, body }: PatchBody): Item {
  if (type === 'apply')
    throw notSupportedYet('server-side apply on the scale subresource; use a merge patch');
  const patched =
    type === 'json' ? applyJsonPatch(scale, body as JsonPatchOperation[]) : applyMergePatch(scale, body);
  if (isObject(patched) && isObject(patched.metadata)) return patched as Item;
  throw badRequest('error decoding patch: the result must be a Scale');
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, step) => (isObject(found) ? found[step] : undefined), value);
}

function put(value: unknown, [first = '', ...rest]: readonly string[], leaf: unknown): JsonObject {
  const object = isObject(value) ? value : {};
  return { ...object, [first]: rest.length === 0 ? leaf : put(object[first], rest, leaf) };
}

/** compat 3.8: built-in kinds print their label selector; a ReplicationController's is a plain map. */
function selectorText(live: Item): string {
  const selector = at(live, 'spec.selector');
  if (!isObject(selector)) return '';
  const isMap = live.kind === 'ReplicationController';
  return printSelector(selectorOf((isMap ? { matchLabels: selector } : selector) as LabelSelector));
}
