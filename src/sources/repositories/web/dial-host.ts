import { connect, isIP, type Socket } from 'node:net';
import { type Ctx, FairleadError } from '#base/std';
import { connected } from '#platform/http';
import { checkedAddresses, refuseForbidden } from '../egress.ts';
import { dialThrough } from './dial.ts';
import { proxyFor } from './proxy.ts';
import { type Outside, type Security, securityOf } from './request.ts';

/** A connection that does not speak TLS yet, and what its certificate is to be checked with. */
export type DialedHost = {
  readonly socket: Socket;
  readonly security: Security & { readonly servername: string };
};

type MailHost = { readonly host: string; readonly port: number; readonly insecure?: boolean };

/**
 * A connection to a mail server, by the rules of all outgoing connections: to an address that was checked, or through the
 * proxy for mail. Throws PermissionDenied for an address that is not permitted, Unavailable without a connection.
 */
export async function dialHost(
  ctx: Ctx,
  outside: Outside,
  { host, port, insecure }: MailHost,
): Promise<DialedHost> {
  const target = { scheme: 'smtp' as const, host, port };
  const security = {
    ...(await securityOf(outside.trust, { ...target, scheme: 'https' }, { insecure })),
    servername: isIP(host) ? '' : host,
  };
  const proxy = proxyFor(target, {}, outside.proxy);
  if (proxy) {
    await refuseForbidden(ctx, target, outside.egress);
    return { socket: await dialThrough(ctx, proxy, target, outside), security };
  }
  const [address = host] = await checkedAddresses(ctx, target, outside.egress);
  try {
    return { socket: await connected(ctx.signal, connect({ host: address, port }), 'connect'), security };
  } catch (error) {
    ctx.signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FairleadError('Unavailable', `${host}:${port} is unreachable: ${code ?? message}`, error);
  }
}
