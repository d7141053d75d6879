/**
 * Which addresses this process may connect to on behalf of a user: pure, and in one table, so that every kind of outgoing
 * connection (repositories, charts, registries, webhooks, notifications, sign-in) refuses the same ones.
 */
export type AddressPolicy = {
  /** Loopback addresses are permitted. Only `fairlead up` on the embedded cluster and `fairlead render` set this. */
  readonly loopback: boolean;
  /**
   * Hosts that an operator listed by name, each `host` or `host:port` as in a URL: whatever address they resolve to is
   * permitted. A listed address permits URLs with that address, not names that resolve to it.
   */
  readonly hosts?: readonly string[];
};

/** Why an address is refused. `loopback` is the only kind that a policy can permit without naming the host. */
export type AddressKind =
  | 'public' // also private networks: an organisation's own hosts are there
  | 'loopback'
  | 'link-local'
  | 'metadata' // cloud providers serve credentials there
  | 'unspecified'
  | 'multicast'
  | 'reserved'
  | 'unreadable';

type Row = readonly [range: string, kind: Exclude<AddressKind, 'public' | 'unreadable'>];

/** The first row that contains an address decides. Anything else is public. */
const ipv4Rows: readonly Row[] = [
  ['0.0.0.0/8', 'unspecified'], // many systems connect to this machine
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'], // 169.254.169.254 and 169.254.170.2: AWS, Azure, Google Cloud, OpenStack
  ['168.63.129.16/32', 'metadata'], // Azure
  ['100.100.100.200/32', 'metadata'], // Alibaba Cloud
  ['192.0.0.192/32', 'metadata'], // Oracle Cloud
  ['192.0.0.0/24', 'reserved'], // RFC 6890: protocol assignments, never a host
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'], // with the broadcast address
];

const ipv6Rows: readonly Row[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'reserved'], // IPv4-compatible, deprecated: a second spelling of every IPv4 address
  ['100::/64', 'reserved'], // RFC 6666: discarded
  ['2001::/32', 'reserved'], // Teredo: embeds an IPv4 address
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'link-local'], // site-local, deprecated
  ['fd00:ec2::/32', 'metadata'], // AWS
  ['fd20:ce::/32', 'metadata'], // Google Cloud
  ['ff00::/8', 'multicast'],
];

/** IPv6 ranges that embed an IPv4 address, which is checked instead; by the byte where that begins. */
const wrappings: readonly (readonly [range: string, at: number])[] = [
  ['::ffff:0:0/96', 12], // IPv4-mapped
  ['::ffff:0:0:0/96', 12], // IPv4-translated (RFC 2765)
  ['64:ff9b::/96', 12], // NAT64
  ['2002::/16', 2], // 6to4
];

/** The kind of an address as DNS or a URL gives it, without brackets. A zone (`%eth0`) makes it unreadable. */
export function kindOf(address: string): AddressKind {
  const bytes = bytesOf(address);
  if (!bytes) return 'unreadable';
  if (bytes.length === 4) return kindIn(ipv4Table, bytes);
  const wrapped = wrappingTable.find(([range]) => holds(range, bytes));
  if (wrapped) return kindIn(ipv4Table, bytes.slice(wrapped[1], wrapped[1] + 4));
  if (holds(localNat64, bytes)) return kindBehindLocalNat64(bytes);
  return kindIn(ipv6Table, bytes);
}

/** Whether a host, resolved to this address, may be connected to. `host` is as in the URL, without brackets. */
export function permits(
  policy: AddressPolicy,
  { host, port }: { readonly host: string; readonly port: number },
  address: string,
): boolean {
  const kind = kindOf(address);
  if (kind === 'public' || (kind === 'loopback' && policy.loopback)) return true;
  return (policy.hosts ?? []).some((listed) => isHost(listed, host, port));
}

/** `git.example.com`, `git.example.com:8080`, `127.0.0.1:8080`, `::1` and `[::1]:8080` are hosts. */
function isHost(listed: string, host: string, port: number): boolean {
  const [, v6, name, onlyPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(listed) ?? [];
  const wanted = bare(v6 ?? name ?? listed);
  if (wanted === '' || (onlyPort !== undefined && Number(onlyPort) !== port)) return false;
  const [one, other] = [bytesOf(wanted), bytesOf(bare(host))];
  return one && other ? one.join() === other.join() : wanted === bare(host);
}

const bare = (host: string): string => host.toLowerCase().replace(/\.$/, '');

type Range = { readonly bytes: readonly number[]; readonly bits: number };
type Table = readonly (readonly [range: Range, kind: AddressKind])[];

const ipv4Table: Table = ipv4Rows.map(([range, kind]) => [rangeOf(range), kind]);
const ipv6Table: Table = ipv6Rows.map(([range, kind]) => [rangeOf(range), kind]);
const wrappingTable = wrappings.map(([range, at]) => [rangeOf(range), at] as const);

/** RFC 8215: a network may choose any prefix of RFC 6052 in it for a translator of its own. */
const localNat64 = rangeOf('64:ff9b:1::/48');

/** RFC 6052 §2.2: where each prefix length puts the four bytes; byte 8 is always zero, and so are those after the last. */
const layouts: readonly (readonly number[])[] = [
  [6, 7, 9, 10], // /48
  [7, 9, 10, 11], // /56
  [9, 10, 11, 12], // /64
  [12, 13, 14, 15], // /96
];

/** The prefix length that the network chose is unknown here: every reading of the address must be public. */
function kindBehindLocalNat64(bytes: readonly number[]): AddressKind {
  const readings = layouts
    .filter((layout) => bytes.every((byte, at) => byte === 0 || at <= (layout.at(-1) ?? 0)))
    .map((layout) => layout.map((at) => bytes[at] ?? 0))
    .filter((reading) => reading.some((byte) => byte !== 0));
  const kinds = readings.map((reading) => kindIn(ipv4Table, reading));
  if (kinds.length === 0) return 'unspecified';
  return kinds.find((kind) => kind !== 'public' && kind !== 'unspecified') ?? mostly(kinds);
}

/** A reading with the wrong prefix length begins with zeros more often than not: it counts only when there is no other. */
const mostly = (kinds: readonly AddressKind[]): AddressKind =>
  kinds.includes('public') ? 'public' : 'unspecified';

function kindIn(table: Table, bytes: readonly number[]): AddressKind {
  return table.find(([range]) => holds(range, bytes))?.[1] ?? 'public';
}

function holds({ bytes: prefix, bits }: Range, bytes: readonly number[]): boolean {
  if (prefix.length !== bytes.length) return false;
  return bytes.every((byte, at) => {
    const counted = Math.min(8, Math.max(0, bits - at * 8));
    const mask = (0xff00 >> counted) & 0xff;
    return (byte & mask) === ((prefix[at] ?? 0) & mask);
  });
}

function rangeOf(text: string): Range {
  const [address = '', bits = ''] = text.split('/');
  return { bytes: bytesOf(address) ?? [], bits: Number(bits) };
}

/** The 4 or 16 bytes of an address; undefined for anything that is not one in full. */
function bytesOf(address: string): readonly number[] | undefined {
  return address.includes(':') ? ipv6Bytes(address) : ipv4Bytes(address);
}

function ipv4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  const isWhole = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  const bytes = parts.map(Number);
  return isWhole && bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function ipv6Bytes(text: string): readonly number[] | undefined {
  const sides = text.split('::');
  if (sides.length > 2) return undefined;
  const [head, tail] = sides.map((side) => groupBytes(side));
  if (!head || (sides.length === 2 && !tail)) return undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  if (sides.length === 1) return missing === 0 ? head : undefined;
  return missing >= 2 ? [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])] : undefined;
}

/** The bytes of one side of `::`; the last group may be an IPv4 address. */
function groupBytes(side: string): number[] | undefined {
  if (side === '') return [];
  const groups = side.split(':');
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    const last = at === groups.length - 1 && group.includes('.') ? ipv4Bytes(group) : undefined;
    if (last) bytes.push(...last);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}
