import type { Core } from '../core.ts';
import { type Item, itemKey } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { ObjectTable } from '../object-table.ts';
import { Stored } from '../stored.ts';
import type { Consultation } from '../webhook/consultation.ts';
import { fitting } from './fitting.ts';
import type { ServedWriteOptions } from './options.ts';

/** One write under way: where it goes, through which endpoint, and how. */
export type Writing = {
  readonly core: Core;
  readonly resource: ServedResource;
  readonly namespace: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly options: ServedWriteOptions;
  /** A server-side apply: who owns what is part of it. */
  readonly isApply?: boolean;
  /** Admission has been asked already, about what was really sent. */
  readonly isReviewed?: boolean;
  /** What webhooks have said; absent where there are none, and where the cluster itself writes. */
  readonly session?: Consultation;
};

export const shelfFor = ({ core, resource }: Writing): ObjectTable => core.state.shelf(resource.shelf);

/** What came of a write. */
export type Written = { readonly stored: Stored; readonly created: boolean };

/** Puts the item in place, or, in a dry run, shows what would be there. Throws when it is too large to be kept. */
export function settle(writing: Writing, item: Item): Stored {
  const key = itemKey(writing.namespace, item.metadata.name ?? '');
  if (!writing.options.dryRun) {
    const shelf = shelfFor(writing);
    return writing.core.state.put(shelf, key, fitting(writing, item, shelf.get(key)));
  }
  return new Stored(key, item, Number(item.metadata.resourceVersion ?? 0));
}
