import { FairleadError, isObject } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { basic, below, insecureOf, map, partOf, text } from '../fields.ts';
import type { Delivery, ServiceKind } from '../service.ts';

const pooled = 'connections are not kept between messages';
const methods = /^[A-Z]{1,20}$/;

/** compat server §6.6: any method, headers and body. Redirects are not followed. */
export const webhook: ServiceKind = {
  required: ['url'],
  optional: ['headers', 'basicAuth', 'insecureSkipVerify', 'retryWaitMin', 'retryWaitMax', 'retryMax'],
  inert: {
    maxIdleConns: pooled,
    maxIdleConnsPerHost: pooled,
    maxConnsPerHost: pooled,
    idleConnTimeout: pooled,
  },
  async send(ctx, reach, delivery) {
    const { options } = delivery;
    const part = partOf(delivery);
    const method = (text(part, 'method').trim() || 'GET').toUpperCase();
    if (!methods.test(method))
      throw new FairleadError('InvalidSpec', 'method is not the name of an HTTP method');
    const url = urlOf(text(options, 'url'), text(part, 'path').trim());
    const { username, password } = map(options, 'basicAuth');
    const login = username !== undefined || password !== undefined;
    const body = text(part, 'body');
    const answer = await reach.request(ctx, {
      url,
      method,
      headers: {
        ...(login && basic(String(username ?? ''), String(password ?? ''))),
        ...headersOf(delivery),
      },
      ...(body !== '' && { body }),
      ...insecureOf(options),
    });
    requireAccepted(answer);
  },
};

/** A path comes from a template, and so from an application: it cannot lead to another host. */
function urlOf(base: string, path: string): string {
  const url = below(base, path);
  if (originOf(url) !== originOf(base))
    throw new FairleadError('InvalidSpec', 'path leads to another host than url of the service');
  return url;
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    throw new FairleadError('InvalidSpec', 'url is not a URL');
  }
}

function headersOf({ options }: Delivery): Record<string, string> {
  const { headers } = options;
  if (!Array.isArray(headers)) return {};
  const pairs = headers.filter(isObject).map((one) => [text(one, 'name').toLowerCase(), text(one, 'value')]);
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
