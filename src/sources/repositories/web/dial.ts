import type { Socket } from 'node:net';
import type { Ctx } from '#base/std';
import { dialProxy, type ProxyAddress } from '#platform/http';
import { checkedAddresses, type Egress } from '../egress.ts';
import { machineTrust } from './machine.ts';
import type { Trust } from './trust.ts';

/** The dependencies of a connection through a proxy. */
export type Around = { readonly egress: Egress; readonly trust: Trust };

type Target = { readonly host: string; readonly port: number };

/** Connects to a target through a proxy, whose own address is checked like any other. Throws as dialProxy does. */
export async function dialThrough(
  ctx: Ctx,
  proxy: ProxyAddress,
  to: Target,
  { egress, trust }: Around,
): Promise<Socket> {
  const [address = proxy.host] = await checkedAddresses(ctx, proxy, egress);
  const secured = proxy.kind === 'https' && { secureContext: (await machineTrust(trust.machine)).context };
  return dialProxy(ctx.signal, { proxy, address, setting: 'proxy', ...secured }, to);
}
