import { isIP } from 'node:net';
import { type Ctx, FairleadError } from '#base/std';
import { type AddressPolicy, HostResolver, kindOf, permits } from '#platform/http';

/** Which addresses repositories may be fetched from. */
export type Egress = AddressPolicy;

type Target = { readonly host: string; readonly port: number };

/** One for the process: its only state is the queries in flight. */
const resolver = new HostResolver();

/**
 * The permitted addresses of a host, so that the connection can be pinned to a checked address and a name that resolves
 * differently the second time has no effect. Throws PermissionDenied when any of them is not permitted.
 */
export async function checkedAddresses(
  ctx: Ctx,
  { host, port }: Target,
  egress: Egress,
): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare) ? [bare] : await resolved(ctx, bare);
  for (const address of addresses) {
    if (!permits(egress, { host: bare, port }, address)) throw forbidden(host, address);
  }
  return addresses;
}

/**
 * The same check for a host that a proxy will resolve: addresses that we can resolve must be permitted; those we cannot
 * are the proxy's responsibility, since behind one public names often do not resolve.
 */
export async function refuseForbidden(ctx: Ctx, target: Target, egress: Egress): Promise<void> {
  await checkedAddresses(ctx, target, egress).catch((error: unknown) => {
    if (!(error instanceof FairleadError) || error.code !== 'Unavailable') throw error;
  });
}

function forbidden(host: string, address: string): FairleadError {
  const kind = kindOf(address);
  const article = kind === 'unspecified' || kind === 'unreadable' ? 'an' : 'a';
  return new FairleadError(
    'PermissionDenied',
    `host ${host} is at ${article} ${kind} address, which may not be fetched from: use another host, or have an operator list this one in --allow-hosts`,
  );
}

async function resolved(ctx: Ctx, host: string): Promise<readonly string[]> {
  try {
    return await resolver.addresses(ctx, host);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    throw new FairleadError('Unavailable', `repository ${error.message}`, error);
  }
}
