import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { FairleadError } from '#base/std';
import { type AddressPolicy, kindOf, permits } from '#platform/http';

type HostAndPort = { readonly host: string; readonly port: number };

/** The addresses of a host, so that the connection goes to one that was checked. Throws PermissionDenied when one is not permitted. */
export async function permittedAddresses(
  policy: AddressPolicy,
  { host, port }: HostAndPort,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  const found = family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
  for (const { address } of found) {
    if (permits(policy, { host, port }, address)) continue;
    const kind = kindOf(address);
    const article = kind === 'unspecified' || kind === 'unreadable' ? 'an' : 'a';
    throw new FairleadError(
      'PermissionDenied',
      `${host} is at ${article} ${kind} address, which clusters may not be reached at: register another address, or have an operator list this one in --allow-hosts`,
    );
  }
  return found;
}

/** The same check for a host that a proxy resolves: a name that is unknown here is the proxy's responsibility. */
export async function refuseForbidden(policy: AddressPolicy, target: HostAndPort): Promise<void> {
  await permittedAddresses(policy, target).catch((error: unknown) => {
    if (error instanceof FairleadError) throw error;
  });
}
