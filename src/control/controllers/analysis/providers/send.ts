import { decodeText } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { MetricAnswer, MetricProviderDeps, MetricRequest } from './provider.ts';

const redirects = 5;

export const headersOf = (list: readonly { key: string; value: string }[] = []): Record<string, string> => ({
  'user-agent': 'fairlead',
  ...Object.fromEntries(list.map(({ key, value }) => [key.toLowerCase(), value])),
});

/** Sends a request and follows redirects; every address is checked again, and headers stay with their host. */
export async function send(
  ctx: Ctx,
  deps: MetricProviderDeps,
  request: MetricRequest,
): Promise<MetricAnswer> {
  let current = request;
  for (let count = 0; ; count += 1) {
    const answer = await deps.request(ctx, current);
    const { location } = answer.headers;
    const isRedirect = answer.status >= 300 && answer.status < 400 && typeof location === 'string';
    if (!isRedirect) return answer;
    if (count >= redirects)
      throw new FairleadError('Unavailable', `${request.url.host}: more than ${redirects} redirects`);
    current = redirected(current, new URL(location, current.url), answer.status);
  }
}

function redirected(request: MetricRequest, url: URL, status: number): MetricRequest {
  const { headers, body, method, ...rest } = request;
  const isKept = url.origin === request.url.origin;
  const repeats = status === 307 || status === 308;
  return {
    ...rest,
    url,
    ...(isKept && headers && { headers }),
    ...(repeats ? { ...(method && { method }), ...(body !== undefined && { body }) } : { method: 'GET' }),
  };
}

/** The body as JSON; undefined: it is none. */
export function jsonOf({ body }: MetricAnswer): unknown {
  try {
    return JSON.parse(decodeText(body));
  } catch {
    return undefined;
  }
}
