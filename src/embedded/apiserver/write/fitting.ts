import { gvkOf } from '#base/model';
import { printJson } from '#base/std';
import { findType } from '#kubernetes/schema';
import { type Item, nameOf, withMeta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { plainFailure } from '../status.ts';
import type { Stored } from '../stored.ts';
import { lengthened, messageSize, varintSize } from './message-size.ts';
import { storageKey } from './storage-key.ts';

/** What etcd takes in one request, and what a server sends it in one message. */
const largestRequest = 1.5 * 1024 * 1024;
const largestMessage = 2 * 1024 * 1024;

/** What etcd adds to a request before it measures it; a byte more or less from one to another. */
const addition = 17;

/** Where an object is to be kept, and whether who owns what is part of the write. */
type Keeping = { readonly resource: ServedResource; readonly namespace: string; readonly isApply?: boolean };

/**
 * compat 3.2: an object as etcd would take it: as it is, or without its managedFields when only they make it too large.
 * Throws what a real server answers when that does not help either. Custom kinds are measured to the byte.
 */
export function fitting(keeping: Keeping, item: Item, live: Stored | undefined): Item {
  if (remaining(item, largestRequest) > 0) return item;
  const problem = problemOf(keeping, item, live);
  if (problem === undefined) return item;
  // compat 3.9: an apply without its managers would be none
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

/** If the object is still as it was, keep it in its new form; if not, show it: all but a creation by POST ask for that. */
function transactionSize(keeping: Keeping, item: Item, live: Stored | undefined): number {
  const { resource, namespace, isApply } = keeping;
  const key = lengthened(Buffer.byteLength(storageKey(resource, namespace, nameOf(item))));
  const condition = lengthened(3 + key + varintSize(live?.rv ?? 0));
  const shown = live || isApply ? lengthened(lengthened(key)) : 0;
  const type = resource.custom ? undefined : findType(gvkOf(item));
  const value = type ? messageSize(item, type) : textSize(item);
  return condition + lengthened(lengthened(key + lengthened(value))) + shown;
}

/** As Go prints it, with a line end. */
function textSize(item: Item): number {
  const text = printJson(withMeta(item, { resourceVersion: undefined }));
  return Buffer.byteLength(text.replace(/[<>&]/g, '\\u003c').replace(/[\u2028\u2029]/g, '\\u2028')) + 1;
}

/** What is left of so many bytes once a value is printed in the longest way there is; an object that leaves any is no problem. */
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
