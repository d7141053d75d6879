import { type Ctx, FairleadError } from '#base/std';
import { mayPass } from '../git/retry.ts';
import { type Outside, openWeb, type WebRequest, type WebStream } from './request.ts';

/** A request that follows redirects. */
export type Visit = Omit<WebRequest, 'method' | 'body'> & {
  /** Credentials, sent only to the origin of `url`. */
  readonly authorization?: string | undefined;
};

const mostHops = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects, each checked like the first. Credentials and certificates are sent only to their origin, and a
 * redirect from https to http is refused. Throws Unavailable when there are too many.
 */
export async function visit(ctx: Ctx, outside: Outside, request: Visit): Promise<WebStream> {
  const { authorization, headers, terms, ...rest } = request;
  let { url } = request;
  for (let hops = 0; hops <= mostHops; hops++) {
    const isHome = url.origin === request.url.origin;
    const { certificate: _certificate, ...others } = terms ?? {};
    const answer = await openWeb(ctx, outside, {
      ...rest,
      url,
      headers: {
        'user-agent': 'fairlead',
        ...headers,
        ...(isHome && authorization ? { authorization } : {}),
      },
      terms: (isHome ? terms : others) ?? {},
    }).catch((error: unknown) => {
      throw error instanceof FairleadError && error.code === 'Unavailable' ? mayPass(error) : error;
    });
    if (!redirects.has(answer.status)) return answer;
    answer.close();
    url = led(url, answer.headers.location);
  }
  throw new FairleadError('Unavailable', `${request.url.origin} sends us from place to place without end`);
}

function led(from: URL, location: string | string[] | undefined): URL {
  const to = typeof location === 'string' ? parsed(location, from) : undefined;
  if (!to || !/^https?:$/.test(to.protocol)) {
    throw new FairleadError('Unavailable', `${from.origin} answers with a redirect that leads nowhere`);
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new FairleadError(
      'PermissionDenied',
      `${from.origin} redirects from https to plain http at ${to.origin}, which is not followed`,
    );
  }
  to.username = '';
  to.password = '';
  return to;
}

function parsed(text: string, base: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The whole body of a response, limited by `most` of its request. */
export async function bodyOf({ body }: WebStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The error of an unsuccessful status. `what` names the requested resource and its host. */
export function refusal(status: number, what: string): FairleadError {
  if (status === 401 || status === 403) {
    return new FairleadError(
      'Auth',
      `${what} was refused to us (status ${status}): check the username and password of the repository's Secret, and the name`,
    );
  }
  if (status === 404 || status === 410) {
    return new FairleadError(
      'NotFound',
      `${what} is not there (status ${status}): check the URL and the name`,
    );
  }
  const failure = new FairleadError(
    'Unavailable',
    `${what} cannot be had: the server answers with status ${status}`,
  );
  return status === 429 || status >= 500 ? mayPass(failure) : failure;
}
