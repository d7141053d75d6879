import { setImmediate as letOthersIn } from 'node:timers/promises';
import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type Api, type Collection, served } from './api.ts';
import type { ApiResource } from './discovery-document.ts';
import { isExpired } from './errors.ts';
import { type HttpRequest, parsed } from './http.ts';
import { pathOf, type QueryParameters } from './path.ts';
import { splitList } from './split-list.ts';

/** All objects at one moment; a watch resumes from `resourceVersion`. */
export type KubeList = { readonly items: readonly KubeObject[]; readonly resourceVersion: string };

export type Selectors = {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
};

export type ListOptions = Selectors & {
  /**
   * Objects per request; 0 requests all at once. Default: as many as are parsed without blocking the event
   * loop noticeably.
   */
  readonly pageSize?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Applied to each object as its page arrives, so that a long list is never in memory whole. */
  readonly slim?: ((object: KubeObject) => KubeObject) | undefined;
};

type ListView = {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Partial<KubeObject>[] | null;
};

/** Objects of the first page, whose size is unknown: fifty of the largest that servers take are 50 MB. And of any. */
const firstPage = 10;
const largestPage = 500;
/** Characters of a page, about: what arrives in one piece is read in one go. */
const pageLength = 1024 * 1024;

/**
 * Lists page by page. When the snapshot expires on the server half way, everything is listed again, in one
 * request.
 */
export async function list(
  ctx: Ctx,
  api: Api,
  { namespace, ...kind }: Collection,
  options: ListOptions = {},
): Promise<KubeList> {
  return served(ctx, api, kind, async (resource) => {
    const path = pathOf(resource, { namespace });
    try {
      return await pages(ctx, { api, resource, path }, options);
    } catch (error) {
      if (!isExpired(error) || options.pageSize === 0) throw error;
      return await pages(ctx, { api, resource, path }, { ...options, pageSize: 0 });
    }
  });
}

type Where = { readonly api: Api; readonly resource: ApiResource; readonly path: string };

async function pages(ctx: Ctx, where: Where, options: ListOptions): Promise<KubeList> {
  const { slim = (object) => object } = options;
  const items: KubeObject[] = [];
  let resourceVersion: string | undefined;
  let next: Promise<Page> | undefined = requestPage(ctx, where, options, {
    size: options.pageSize ?? firstPage,
  });
  while (next !== undefined) {
    const page: Page = await next;
    // the server makes the next one while this one is read
    next = page.following && requestPage(ctx, where, options, page.following);
    next?.catch(() => {}); // reported when it is awaited, unless this one cannot be read
    const { metadata, found } = await read(page);
    for (const item of found) items.push(slim(withKind(item, where.resource)));
    resourceVersion ??= metadata?.resourceVersion;
  }
  return { items, resourceVersion: resourceVersion ?? '' };
}

/** Milliseconds of parsing after which other work is let in (docs/decisions/0028). */
const sliceMs = 20;

type Read = Pick<ListView, 'metadata'> & { readonly found: readonly Partial<KubeObject>[] };

/** Parses a page item by item: one of many megabytes would otherwise hold up everything else for as long as it takes. */
async function read({ text, request }: Page): Promise<Read> {
  const split = text.length > pageLength ? splitList(text) : undefined;
  if (!split) {
    const { metadata, items } = parsed(text, request) as ListView;
    return { ...(metadata && { metadata }), found: items ?? [] };
  }
  const found: Partial<KubeObject>[] = [];
  let began = performance.now();
  for (const item of split.items) {
    found.push(parsed(item, request) as Partial<KubeObject>);
    if (performance.now() - began < sliceMs) continue;
    await letOthersIn();
    began = performance.now();
  }
  return { ...(parsed(split.rest, request) as ListView), found };
}

type Part = { readonly size: number; readonly token?: string };
type Page = { readonly text: string; readonly request: HttpRequest; readonly following?: Part };

async function requestPage(ctx: Ctx, { api, path }: Where, options: ListOptions, part: Part): Promise<Page> {
  const query = queryFor({ ...options, pageSize: part.size }, part.token);
  const request = { method: 'GET', path, query };
  const { text } = await api.http.text(ctx, request);
  const token = continuation(text, request);
  if (token === undefined) return { text, request };
  // a page that another follows is full
  const size = options.pageSize ?? fitting(text.length, part.size);
  return { text, request, following: { size, token } };
}

/** Characters within which a server sends the list metadata before the objects. */
const headLength = 4_096;

/**
 * The continue token, which servers send before the objects; a response that has it elsewhere is read twice.
 */
function continuation(text: string, request: HttpRequest): string | undefined {
  const head = text.slice(0, headLength);
  const end = head.indexOf('"items":[');
  const [, before] = /^[^[]*?"metadata":\{([^{}[\]]*)\}[^{}]*$/.exec(head.slice(0, Math.max(end, 0))) ?? [];
  const view = parsed(before === undefined ? text : `{"metadata":{${before}}}`, request) as ListView;
  return view.metadata?.continue || undefined;
}

/** How many of such objects make a page. */
const fitting = (length: number, count: number): number =>
  Math.max(1, Math.min(largestPage, Math.floor((pageLength * count) / Math.max(length, 1)) || 1));

function queryFor(options: ListOptions, token: string | undefined): QueryParameters {
  const { pageSize, labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  const page = { limit: pageSize || undefined, labelSelector, fieldSelector };
  // a continue token carries its own version
  return token === undefined
    ? { ...page, resourceVersion, resourceVersionMatch }
    : { ...page, continue: token };
}

/** Servers leave apiVersion and kind out of the items of built-in lists, because the list has them once. */
function withKind(item: Partial<KubeObject>, { apiVersion, kind }: ApiResource): KubeObject {
  return item.kind && item.apiVersion ? (item as KubeObject) : ({ apiVersion, kind, ...item } as KubeObject);
}
