import type { z } from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

declare const shapes: unique symbol;

/** One endpoint of the API. Server, command line and web UI read the same table of these. */
export type Endpoint<Body, Out> = {
  readonly method: HttpMethod;
  /** `:name` marks a segment that the caller fills in. */
  readonly path: `/${string}`;
  /** Absent: the request has no body. */
  readonly body?: z.ZodType<Body>;
  /** `stream` answers with one JSON message after another, each in an envelope `{"result": …}`. */
  readonly answer: 'one' | 'stream';
  readonly [shapes]?: { body: Body; out: Out };
};

/** A response is trusted to have its type: it comes from the same program. A request body is checked by `body`. */
export function endpoint<Out>() {
  return <Body = undefined>(
    method: HttpMethod,
    path: `/${string}`,
    body?: z.ZodType<Body>,
  ): Endpoint<Body, Out> => ({ method, path, answer: 'one', ...(body && { body }) });
}

export function stream<Out>() {
  return (path: `/${string}`): Endpoint<undefined, Out> => ({ method: 'GET', path, answer: 'stream' });
}

export type PathParams = Readonly<Record<string, string>>;

/** The path with its segments filled in. Throws when one is missing: that is a programming error. */
export function fillPath(path: string, params: PathParams): string {
  return path.replace(/:([a-zA-Z]+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** The segments of `raw` that `path` marks, each percent-decoded once; undefined when the path does not match. */
export function matchPath(path: string, raw: string): PathParams | undefined {
  const wanted = path.split('/');
  const given = raw.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (let i = 0; i < wanted.length; i++) {
    const segment = wanted[i] ?? '';
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

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // a stray % matches no path
  }
}
