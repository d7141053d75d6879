import { printJson, realClock } from '#base/std';
import type { Form } from '../accept.ts';
import { type Core, tableOf } from '../core.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import type { ObjectTable } from '../object-table.ts';
import type { ServedResponse } from '../request.ts';
import type { ObjectFilter } from '../select.ts';
import { expired, otherShape, tooLargeResourceVersion } from '../status.ts';
import type { Stored } from '../stored.ts';
import { tableText } from '../table.ts';
import { goName } from '../write/decode.ts';
import { listItemText, partialText } from './encode.ts';
import {
  type ContinueToken,
  continueExpired,
  printContinue,
  type ServedListOptions,
} from './list-options.ts';

export type ServedCollection = { readonly resource: ServedResource; readonly namespace: string };

type Page = { readonly items: readonly Stored[]; readonly metadata: ListMeta };
type ListMeta = { resourceVersion: string; continue?: string; remainingItemCount?: number };

/** A list of the collection: sorted, selected, paged, in the requested form. */
export async function list(
  core: Core,
  { resource, namespace }: ServedCollection,
  options: ServedListOptions,
  form: Form,
): Promise<ServedResponse> {
  await reach(core, options.resourceVersion);
  const page = pageOf(core, tableOf(core, resource), namespace, options);
  const body = pageText(page, resource, form, core.clock.now().getTime());
  await core.state.durable();
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** compat cluster 3.3: waits for a version that is not reached yet, three seconds at most. */
export async function reach(core: Core, resourceVersion: string): Promise<void> {
  const wanted = Number(resourceVersion || 0);
  for (let waited = 0; wanted > core.state.rv; waited += 50) {
    if (waited >= 3000) throw tooLargeResourceVersion(wanted, core.state.rv);
    await realClock.sleep(50, core.closing);
  }
}

function pageOf(core: Core, collection: ObjectTable, namespace: string, options: ServedListOptions): Page {
  const token = options.continue;
  const rv = listVersion(core, options, token);
  const all = token
    ? itemsAfter(collection, rv, namespace, token)
    : itemsAt(core, collection, namespace, options);
  return cut(all, rv, options);
}

function listVersion(core: Core, options: ServedListOptions, token: ContinueToken | undefined): number {
  if (token && token.rv > 0) return token.rv;
  return options.exact ? Number(options.resourceVersion) : core.state.rv;
}

function itemsAt(
  core: Core,
  collection: ObjectTable,
  namespace: string,
  options: ServedListOptions,
): readonly Stored[] {
  const version = Number(options.resourceVersion);
  if (!options.exact || version === core.state.rv) return collection.list(namespace);
  const past = collection.asOf(version, namespace);
  if (past) return past;
  throw expired(`The resourceVersion for the provided list is too old.`);
}

function itemsAfter(
  collection: ObjectTable,
  rv: number,
  namespace: string,
  token: ContinueToken,
): readonly Stored[] {
  if (token.rv < 0) return collection.listAfter(token.start, namespace);
  const past = collection.asOf(rv, namespace);
  if (!past) throw continueExpired(token.start);
  return past.filter((stored) => stored.key > token.start);
}

function cut(all: readonly Stored[], rv: number, { limit, match }: ServedListOptions): Page {
  const items: Stored[] = [];
  const metadata: ListMeta = { resourceVersion: String(rv) };
  for (const [index, stored] of all.entries()) {
    if (!isSelected(stored, match)) continue;
    if (limit > 0 && items.length === limit) {
      metadata.continue = printContinue({ rv, start: items.at(-1)?.key ?? '' });
      if (!match) metadata.remainingItemCount = all.length - index;
      break;
    }
    items.push(stored);
  }
  return { items, metadata };
}

const isSelected = (stored: Stored, match: ObjectFilter | undefined): boolean => !match || match(stored.item);

function pageText({ items, metadata }: Page, resource: ServedResource, form: Form, now: number): string {
  if (form.as === 'table') return tableText({ resource, form, now }, items, metadata);
  if (form.as === 'partial') {
    const version = `meta.k8s.io/${form.version}`;
    if (!form.ofList)
      throw otherShape('PartialObjectMetadata', 'a list', goName(resource, resource.listKind));
    const texts = items.map((stored) => partialText(stored, form.version));
    const text = listText('PartialObjectMetadataList', version, metadata, texts);
    // compat cluster 3.19: an empty list of metadata is printed as null
    return items.length > 0 ? text : text.replace('"items":[]', '"items":null');
  }
  const texts = items.map((stored) => listItemText(stored, resource));
  return listText(resource.listKind, apiVersionOf(resource), metadata, texts);
}

function listText(kind: string, apiVersion: string, metadata: ListMeta, items: readonly string[]): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${printJson(metadata)},"items":[${items.join(',')}]}\n`;
}

/** The response to a delete of a whole collection: the deleted objects. */
export const listOf = (resource: ServedResource, rv: number, items: readonly Stored[]): string =>
  listText(
    resource.listKind,
    apiVersionOf(resource),
    { resourceVersion: String(rv) },
    items.map((stored) => listItemText(stored, resource)),
  );
