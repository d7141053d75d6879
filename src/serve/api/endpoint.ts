import type { z } from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

declare const shapes: unique symbol;

/** One endpoint of the API. Server, command line and web UI read the same table of these. */
export type Endpoint<Body, Out> = {
  readonly method: HttpMethod;
  /** `:name` marks a segment that the caller fills in, a final `*name` any number of them. */
  readonly path: `/${string}`;
  /** Absent: the request has no body. */
  readonly body?: z.ZodType<Body>;
  /** One line for the document of the API: what the caller gets or what happens. */
  readonly summary: string;
  /** The query parameters that the method reads, each with one line. */
  readonly query: QueryDocs;
  /** `stream` answers with one JSON message after another, each in an envelope `{"result": …}`. */
  readonly answer: 'one' | 'stream';
  /** The request is one message after another, in REST a line of JSON each; `body` is the schema of each of them. */
  readonly takesStream?: true;
  /** The caller may choose fields of the response with `fields` (compat server §2.6). */
  readonly fields?: true;
  readonly [shapes]?: { body: Body; out: Out };
};

export type QueryDocs = Readonly<Record<string, string>>;

/** A response is trusted to have its type: it comes from the same program. A request body is checked by `body`. */
export function endpoint<Out>(summary = '', query: QueryDocs = {}) {
  return <Body = undefined>(
    method: HttpMethod,
    path: `/${string}`,
    body?: z.ZodType<Body>,
  ): Endpoint<Body, Out> => ({ method, path, summary, query, answer: 'one', ...(body && { body }) });
}

export function stream<Out>(summary = '', query: QueryDocs = {}) {
  return (path: `/${string}`): Endpoint<undefined, Out> => ({
    method: 'GET',
    path,
    summary,
    query,
    answer: 'stream',
  });
}

/** The endpoint with the query parameter `fields`. */
export const selectable = <Body, Out>(chosen: Endpoint<Body, Out>): Endpoint<Body, Out> => ({
  ...chosen,
  fields: true,
});

/** The endpoint with a request of many messages. */
export const uploading = <Body, Out>(chosen: Endpoint<Body, Out>): Endpoint<Body, Out> => ({
  ...chosen,
  takesStream: true,
});

export type PathParams = Readonly<Record<string, string>>;

/** The path with its segments filled in. Throws when one is missing: that is a programming error. */
export function fillPath(path: string, params: PathParams): string {
  return path.replace(/([:*])([a-zA-Z]+)/g, (_, mark: string, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return mark === '*' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });
}

/** The segments of `raw` that `path` marks, each percent-decoded once; undefined when the path does not match. */
export function matchPath(path: string, raw: string): PathParams | undefined {
  const wanted = path.split('/');
  const given = raw.split('/');
  const rest = wanted.at(-1)?.startsWith('*') ? wanted.pop()?.slice(1) : undefined;
  if (given.length < wanted.length || (rest === undefined && given.length > wanted.length)) return undefined;
  const params = matchSegments(wanted, given);
  return params && rest !== undefined ? withRest(params, rest, given.slice(wanted.length)) : params;
}

function matchSegments(wanted: readonly string[], given: readonly string[]): PathParams | undefined {
  const params: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    const value = given[i] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (!decoded) return undefined;
    params[segment.slice(1)] = decoded;
  }
  return params;
}

function withRest(params: PathParams, name: string, rest: readonly string[]): PathParams | undefined {
  const parts = rest.map(decode);
  return parts.includes(undefined) ? undefined : { ...params, [name]: parts.join('/') };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // a stray % matches no path
  }
}
