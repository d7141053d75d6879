import { badRequest } from './status.ts';

/** A parsed URL path, before it is resolved. */
type ApiPath =
  | { readonly at: 'resource'; readonly path: ResourcePath }
  | { readonly at: 'other'; readonly segments: readonly string[] };

export type ResourcePath = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** '' for cluster-scoped paths and for lists over all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  /** '' for the object itself; `status`, `scale`, `log`. */
  readonly subresource: string;
  /** The path itself requests a watch. */
  readonly isWatched?: boolean;
};

export type ParsedUrl = { readonly where: ApiPath; readonly query: URLSearchParams };

const noQuery = new URLSearchParams();

/** Parses a request's path and query. Throws BadRequest for invalid percent-encoding. */
export function parseUrl(url: string): ParsedUrl {
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  const query = cut < 0 ? noQuery : new URLSearchParams(url.slice(cut + 1));
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  return { where: locate(segments), query };
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(segment)}`);
  }
}

function locate(segments: readonly string[]): ApiPath {
  const core = segments[0] === 'api';
  const prefix = core ? 2 : 3;
  if ((!core && segments[0] !== 'apis') || segments.length <= prefix) return { at: 'other', segments };
  const [group = '', version = ''] = core ? ['', segments[1]] : segments.slice(1);
  const rest = segments.slice(prefix);
  // compat cluster 2.9: the path form of watches, older than the parameter
  const isWatched = rest[0] === 'watch' && rest.length > 1;
  const place = below(isWatched ? rest.slice(1) : rest);
  return { at: 'resource', path: { group, version, ...place, ...(isWatched && { isWatched }) } };
}

/**
 * compat cluster 2.9: below a namespace every path segment but its own subresources is a resource in that
 * namespace.
 */
function below(rest: readonly string[]): Omit<ResourcePath, 'group' | 'version'> {
  const [first = '', second = '', third = ''] = rest;
  const own = third === 'status' || third === 'finalize';
  if (first === 'namespaces' && rest.length > 2 && !own) {
    return { namespace: second, plural: third, name: rest[3] ?? '', subresource: rest.slice(4).join('/') };
  }
  return { namespace: '', plural: first, name: second, subresource: rest.slice(2).join('/') };
}

/** A query parameter that is a boolean in Go's spelling; absent is false. */
export const flag = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  return (
    value !== null && value !== '' && value !== '0' && value !== 'false' && value !== 'False' && value !== 'f'
  );
};
