import { gvkOf } from '#base/model';
import { printJson } from '#base/std';
import { findType } from '#kubernetes/schema';
import { type Item, nameOf, withMeta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { plainFailure } from '../status.ts';
import type { Stored } from '../stored.ts';
import { lengthened, messageSize, varintSize } from './message-size.ts';
import { storageKey } from './storage-key.ts';

/** The limits of an etcd request, and of a message that a server sends to it. */
const largestRequest = 1.5 * 1024 * 1024;
const largestMessage = 2 * 1024 * 1024;

/** The overhead that etcd adds to a request before it measures it; it varies by a byte. */
const addition = 17;

/** The storage location of an object, and whether field ownership is part of the write. */
type Keeping = { readonly resource: ServedResource; readonly namespace: string; readonly isApply?: boolean };

/**
 * compat cluster 3.2: an object within etcd's size limit: as it is, or without its managedFields when only they
 * make it too large. Throws the error of a real server when that does not help either. Custom kinds are measured
 * to the byte.
 */
export function withinSizeLimit(keeping: Keeping, item: Item, live: Stored | undefined): Item {
  if (remaining(item, largestRequest) > 0) return item;
  const problem = problemOf(keeping, item, live);
  if (problem === undefined) return item;
  // compat cluster 3.9: an apply cannot be stored without managedFields
  if (keeping.isApply) throw plainFailure(problem);
  const bare = withMeta(item, { managedFields: undefined });
  const rest = problemOf(keeping, bare, live);
  if (rest !== undefined) throw plainFailure(rest);
  return bare;
}

function problemOf(keeping: Keeping, item: Item, live: Stored | undefined): string | undefined {
  const size = transactionSize(keeping, item, live);
  if (size > largestMessage)
    return `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${largestMessage})`;
  return size + addition > largestRequest ? 'etcdserver: request is too large' : undefined;
}

/** The size of the etcd transaction: compare, put, and a get on failure, which all but a creation by POST have. */
function transactionSize(keeping: Keeping, item: Item, live: Stored | undefined): number {
  const { resource, namespace, isApply } = keeping;
  const key = lengthened(Buffer.byteLength(storageKey(resource, namespace, nameOf(item))));
  const condition = lengthened(3 + key + varintSize(live?.rv ?? 0));
  const shown = live || isApply ? lengthened(lengthened(key)) : 0;
  const type = resource.custom ? undefined : findType(gvkOf(item));
  const value = type ? messageSize(item, type) : textSize(item);
  return condition + lengthened(lengthened(key + lengthened(value))) + shown;
}

/** The size of Go's JSON, with a line end. */
function textSize(item: Item): number {
  const text = printJson(withMeta(item, { resourceVersion: undefined }));
  return Buffer.byteLength(text.replace(/[<>&]/g, '\\u003c').replace(/[\u2028\u2029]/g, '\\u2028')) + 1;
}

/** The bytes that remain after a value is printed in its longest form; an object with any remaining fits. */
function remaining(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - 6 * value.length - 3;
  if (typeof value !== 'object' || value === null) return bytes - 24;
  let left = bytes - 2;
  for (const key in value) {
    if (left <= 0) break;
    left = remaining((value as Record<string, unknown>)[key], left - 6 * key.length - 4);
  }
  return left;
}
