import { createHash } from 'node:crypto';
import { printJson } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import { mediaTypes } from './accept.ts';
import type { ServedKinds, ServedResource } from './kinds.ts';
import { rootDocument, versionDocument } from './openapi/documents.ts';
import { pathOf } from './openapi/operations.ts';
import { versionTwo } from './openapi/version-two.ts';
import type { ServedRequest, ServedResponse } from './request.ts';

type Document = { readonly text: string; readonly hash: string };

/** Documents about built-in kinds are the same in every cluster of the process. */
const builtin = new Map<string, Document>();

/**
 * OpenAPI documents of the served kinds, as kubectl and helm read them; created on demand, cached until they
 * change.
 */
export class OpenApi {
  readonly #kinds: ServedKinds;
  readonly #custom = new Map<string, Document>();
  #byPath = new Map<string, ServedResource[]>();
  #revision = -1;

  constructor(kinds: ServedKinds) {
    this.#kinds = kinds;
  }

  /** `/openapi/v3` and below, `/openapi/v2`; undefined for anything else. */
  answer(segments: readonly string[], request: ServedRequest): ServedResponse | undefined {
    const { accept = '' } = request.headers;
    if (segments[1] === 'v2' && segments.length === 2) return versionTwo(accept);
    if (segments[1] !== 'v3') return undefined;
    this.#refresh();
    if (segments.length === 2)
      return { status: 200, headers: jsonType, body: printJson({ paths: this.#index() }) };
    const path = segments.slice(2).join('/');
    const document = this.#document(path);
    if (!document) return undefined;
    return takesJson(accept) ? reply(document, path, request) : notAcceptable;
  }

  #refresh(): void {
    if (this.#revision === this.#kinds.revision) return;
    this.#revision = this.#kinds.revision;
    this.#custom.clear();
    this.#byPath = new Map();
    for (const resource of this.#kinds.all()) {
      const path = pathOf(resource);
      const known = this.#byPath.get(path);
      if (known) known.push(resource);
      else this.#byPath.set(path, [resource]);
    }
  }

  #index(): JsonObject {
    const groups = [...this.#byPath].filter(([path, [first]]) => path.startsWith('apis/') && !first?.custom);
    const roots = new Set(groups.map(([path]) => path.slice(0, path.lastIndexOf('/'))));
    const paths = ['api', 'apis', 'version', ...roots, ...this.#byPath.keys()].toSorted();
    const entries = paths.map((path) => {
      const hash = this.#document(path)?.hash ?? '';
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
    });
    return Object.fromEntries(entries);
  }

  #document(path: string): Document | undefined {
    const resources = this.#byPath.get(path);
    if (!resources) return this.#root(path);
    const collection = resources.some((resource) => resource.custom) ? this.#custom : builtin;
    return kept(collection, path, () => versionDocument(resources));
  }

  #root(path: string): Document | undefined {
    const isRoot = ['api', 'apis', 'version'].includes(path);
    const isGroup =
      /^apis\/[^/]+$/.test(path) && [...this.#byPath.keys()].some((one) => one.startsWith(`${path}/`));
    return isRoot || isGroup ? kept(builtin, path, () => rootDocument(path)) : undefined;
  }
}

function kept(collection: Map<string, Document>, path: string, make: () => JsonObject): Document {
  const known = collection.get(path);
  if (known) return known;
  const text = printJson(make());
  const made = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
  collection.set(path, made);
  return made;
}

const jsonType = { 'content-type': 'application/json' };
const notAcceptable: ServedResponse = { status: 406, headers: { vary: 'Accept' }, body: '' };

function takesJson(accept: string): boolean {
  const wanted = mediaTypes(accept);
  return (
    wanted.length === 0 ||
    wanted.some(({ type }) => ['application/json', 'application/*', '*/*'].includes(type))
  );
}

/** A URL with the current hash may be cached for ever; one with another hash redirects to it. */
function reply(
  { text, hash }: Document,
  path: string,
  { path: url, headers: requested }: ServedRequest,
): ServedResponse {
  const wanted = new URL(url, 'http://localhost').searchParams.get('hash');
  const headers = { ...jsonType, etag: `"${hash}"`, vary: 'Accept' };
  if (wanted && wanted !== hash) {
    return { status: 301, headers: { ...headers, location: `/openapi/v3/${path}?hash=${hash}` }, body: '' };
  }
  if (requested['if-none-match'] === `"${hash}"`) return { status: 304, headers, body: '' };
  return {
    status: 200,
    headers: { ...headers, ...(wanted && { 'cache-control': 'public, immutable' }) },
    body: text,
  };
}
