import { toKept } from '../convert.ts';
import { type Item, itemKey, withMeta } from '../item.ts';
import { alreadyExists, badRequest, notSupportedNow, plainFailure } from '../status.ts';
import type { Stored } from '../stored.ts';
import { admitNew, reviewed } from './admit.ts';
import { complete } from './default.ts';
import { withoutEmptyLists } from './empty-lists.ts';
import { recordManager } from './managers.ts';
import { prepareForCreate } from './prepare.ts';
import { validateNew } from './validate.ts';
import { settle, tableFor, type Writing } from './writing.ts';

/** Creates an object from a decoded one. Throws StatusError when the cluster refuses it. */
export function create(writing: Writing, input: Item): Stored {
  const item = named(writing, withMeta(inNamespace(writing, input), serverOwned));
  return createManaged(writing, recordManager(writing, undefined, complete(item, writing.resource)));
}

/** The metadata that only the server sets; a new object has none of it. */
const serverOwned = {
  uid: undefined,
  selfLink: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
};

/** The rest of a creation, for an object whose managedFields are complete. */
export function createManaged(writing: Writing, item: Item): Stored {
  const { resource } = writing;
  const name = item.metadata.name ?? '';
  if (resource.custom?.terminating) {
    throw notSupportedNow(resource, 'create not allowed while custom resource definition is terminating');
  }
  const ready = prepareForCreate(writing, admitNew(writing, item));
  const checked = reviewed(writing, validateNew(writing, ready), undefined);
  // compat cluster 3.3: a dry run does not check the resourceVersion
  if (!writing.options.dryRun && /^[1-9]\d*$/.test(item.metadata.resourceVersion ?? ''))
    throw plainFailure('resourceVersion should not be set on objects to be created');
  if (tableFor(writing).get(itemKey(writing.namespace, name))) throw alreadyExists(resource, name);
  return settle(writing, toKept(withoutEmptyLists(resource, checked), resource));
}

/** compat cluster 3.5: the URL's namespace fills an empty one and must match any other. */
export function inNamespace({ resource, namespace }: Writing, item: Item): Item {
  const own = item.metadata.namespace ?? '';
  if (!resource.namespaced) return own === '' ? item : withMeta(item, { namespace: undefined });
  if (own !== '' && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return own === namespace ? item : withMeta(item, { namespace });
}

const attempts = 8;

function named(writing: Writing, item: Item): Item {
  const { name = '', generateName = '' } = item.metadata;
  if (name !== '') return item;
  // a LimitRange without a name is not refused; all other kinds are, along with their other errors
  if (generateName === '') return unnamed(writing, item);
  const collection = tableFor(writing);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const made = `${generateName.slice(0, 58)}${writing.core.ids.suffix(5)}`;
    if (!collection.get(itemKey(writing.namespace, made))) return withMeta(item, { name: made });
  }
  throw alreadyExists(writing.resource, generateName);
}

const unnamed = ({ core, resource }: Writing, item: Item): Item =>
  resource.collection === '/limitranges' ? withMeta(item, { name: core.ids.uuid() }) : item;
