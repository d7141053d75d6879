import { isIP } from 'node:net';
import { type Ctx, FairleadError } from '#base/std';
import { type AddressPolicy, HostResolver, kindOf, permits } from '#platform/http';

/** Which addresses repositories may be fetched from. */
export type Egress = AddressPolicy;

type Target = { readonly host: string; readonly port: number };

/** One for the process: it holds nothing but queries under way. */
const resolver = new HostResolver();

/**
 * The addresses a host may be reached at, so that the connection can be pinned to what was checked and a name that
 * answers differently the second time gains nothing. Throws PermissionDenied when any of them is out of bounds.
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
 * The same check for a host that a proxy will look for: what we can find must be in bounds, what we cannot is the
 * proxy's to judge, since behind one the names of the world are often unknown.
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
