import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { FairleadError } from '#std';

/** Addresses that no repository lives at: this host by another name, the cloud's metadata, everybody. */
const never = new BlockList();
never.addSubnet('0.0.0.0', 8);
never.addSubnet('169.254.0.0', 16);
never.addAddress('100.100.100.200');
never.addSubnet('224.0.0.0', 3);
never.addAddress('::', 'ipv6');
never.addSubnet('fe80::', 10, 'ipv6');
never.addSubnet('ff00::', 8, 'ipv6');
never.addAddress('fd00:ec2::254', 'ipv6');
never.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // link-local, through a NAT64 gateway

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

export type Egress = { readonly loopback: boolean };

/**
 * The addresses a host may be reached at, so that the connection can be pinned to what was checked and a name that
 * answers differently the second time gains nothing. Throws PermissionDenied when any of them is out of bounds.
 */
export async function checkedAddresses(host: string, egress: Egress): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare) ? [bare] : await resolved(bare);
  for (const address of addresses) {
    if (!isAllowed(address, egress)) throw forbidden(host);
  }
  return addresses;
}

/**
 * The same check for a host that a proxy will look for: what we can find must be in bounds, what we cannot is the
 * proxy's to judge, since behind one the names of the world are often unknown.
 */
export async function refuseForbidden(host: string, egress: Egress): Promise<void> {
  await checkedAddresses(host, egress).catch((error: unknown) => {
    if (!(error instanceof FairleadError) || error.code !== 'Unavailable') throw error;
  });
}

function forbidden(host: string): FairleadError {
  return new FairleadError(
    'PermissionDenied',
    `repository host ${host} is at an address that repositories may not be fetched from: name a public or in-house host`,
  );
}

async function resolved(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new FairleadError(
      'Unavailable',
      `repository host ${host} cannot be found: check the name in repoURL, and DNS`,
      error,
    );
  }
}

function isAllowed(address: string, egress: Egress): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (never.check(address, family)) return false;
  return egress.loopback || !loopback.check(address, family);
}
