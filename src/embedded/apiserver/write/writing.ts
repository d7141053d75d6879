import type { Core } from '../core.ts';
import { type Item, itemKey } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { ObjectTable } from '../object-table.ts';
import { Stored } from '../stored.ts';
import type { WebhookCalls } from '../webhook/webhook-calls.ts';
import type { ServedWriteOptions } from './options.ts';
import { withinSizeLimit } from './size-limit.ts';

/** One write in progress: its target, its endpoint, and its options. */
export type Writing = {
  readonly core: Core;
  readonly resource: ServedResource;
  readonly namespace: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly options: ServedWriteOptions;
  /** A server-side apply: field ownership is part of it. */
  readonly isApply?: boolean;
  /** Admission has run already, on the object that was sent. */
  readonly isReviewed?: boolean;
  /** The webhook responses; absent where there are no webhooks, and where the cluster itself writes. */
  readonly session?: WebhookCalls;
};

export const tableFor = ({ core, resource }: Writing): ObjectTable =>
  core.state.collection(resource.collection);

/** The result of a write. */
export type Written = { readonly stored: Stored; readonly created: boolean };

/** Stores the item or, in a dry run, returns it as it would be stored. Throws when it is too large. */
export function settle(writing: Writing, item: Item): Stored {
  const key = itemKey(writing.namespace, item.metadata.name ?? '');
  if (!writing.options.dryRun) {
    const collection = tableFor(writing);
    return writing.core.state.put(collection, key, withinSizeLimit(writing, item, collection.get(key)));
  }
  return new Stored(key, item, Number(item.metadata.resourceVersion ?? 0));
}
