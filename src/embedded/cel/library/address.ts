import type { Charge, Rows } from '../function-table.ts';
import { traversal } from '../meter.ts';
import { CelError, type CelValue, noSuchOverload, Opaque } from '../value.ts';

/** An IP address: 32 or 128 bits. */
export class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly bits: bigint;
  readonly family: 4 | 6;

  constructor(bits: bigint, family: 4 | 6) {
    super();
    this.bits = bits;
    this.family = family;
  }

  equals(other: Opaque): boolean {
    return other instanceof Ip && other.family === this.family && other.bits === this.bits;
  }
}

/** A network: an address, and the length of its prefix. */
export class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly length: number;

  constructor(ip: Ip, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  equals(other: Opaque): boolean {
    return other instanceof Cidr && other.length === this.length && other.ip.equals(this.ip);
  }
}

function parseV4(text: string): bigint | string {
  const parts = text.split('.');
  if (parts.length !== 4) return parts.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short';
  const wrong = parts.map(octetProblem).find((problem) => problem !== undefined);
  return wrong ?? parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function octetProblem(part: string): string | undefined {
  if (part === '') return 'IPv4 field must have at least one digit';
  if (!/^\d+$/.test(part)) return 'unexpected character';
  if (part.length > 1 && part.startsWith('0')) return 'IPv4 field has octet with leading zero';
  return Number(part) > 255 ? 'IPv4 field has value >255' : undefined;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : groupsOf(half)));
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const count = head.length + (tail?.length ?? 0);
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined;
  const all = [...head, ...new Array<bigint>(8 - count).fill(0n), ...(tail ?? [])];
  return all.reduce((bits, group) => (bits << 16n) | group, 0n);
}

function groupsOf(half: string): bigint[] | undefined {
  const parts = half.split(':');
  const groups = parts.flatMap((part, index) => groupOf(part, index === parts.length - 1));
  return groups.includes(-1n) ? undefined : groups;
}

/** The last part may be written as IPv4 and is two groups then; -1 when it is no group. */
function groupOf(part: string, isLast: boolean): bigint[] {
  if (!part.includes('.')) return [/^[0-9a-fA-F]{1,4}$/.test(part) ? BigInt(`0x${part}`) : -1n];
  const v4 = isLast ? parseV4(part) : '';
  return typeof v4 === 'bigint' ? [v4 >> 16n, v4 & 0xffffn] : [-1n];
}

function parseIp(text: string): Ip | CelError {
  const fail = (why: string): CelError => {
    const quoted = JSON.stringify(text);
    return new CelError(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): ${why}`,
    );
  };
  if (!text.includes(':')) {
    if (!text.includes('.')) return fail('unable to parse IP');
    const bits = parseV4(text);
    return typeof bits === 'bigint' ? new Ip(bits, 4) : fail(bits);
  }
  const [plain = '', zone] = text.split('%', 2);
  const bits = parseV6(plain);
  if (bits === undefined) return fail('unable to parse IP');
  if (zone !== undefined)
    return new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  if (bits >> 32n === 0xffffn)
    return new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new Ip(bits, 6);
}

function parseCidr(text: string): Cidr | CelError {
  const quoted = JSON.stringify(text);
  const prefix = 'network address parse error during conversion from string: ';
  const fail = (why: string): CelError =>
    new CelError(`${prefix}${prefix}netip.ParsePrefix(${quoted}): ${why}`);
  const cut = text.lastIndexOf('/');
  if (cut < 0) return fail("no '/'");
  const ip = parseIp(text.slice(0, cut));
  if (ip instanceof CelError) {
    if (ip.message.startsWith('IPv4-mapped'))
      return new CelError(`${prefix}IPv4-mapped IPv6 address ${quoted} is not allowed`);
    if (ip.message.includes('zone')) return fail('IPv6 zones cannot be present in a prefix');
    return fail(ip.message.replace(/^.*conversion from string: /, ''));
  }
  const bits = text.slice(cut + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return fail(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > (ip.family === 4 ? 32 : 128)) return fail('prefix length out of range');
  return new Cidr(ip, Number(bits));
}

/** The shortest form: the longest run of zero groups becomes `::`. */
export function printIp({ bits, family }: Ip): string {
  const size = family === 4 ? 4 : 8;
  const width = family === 4 ? 8n : 16n;
  const groups = Array.from(
    { length: size },
    (_none, index) => (bits >> (width * BigInt(size - 1 - index))) & ((1n << width) - 1n),
  );
  if (family === 4) return groups.join('.');
  const text = groups.map((group) => group.toString(16));
  const [start, length] = longestZeros(groups);
  if (length < 2) return text.join(':');
  return `${text.slice(0, start).join(':')}::${text.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly bigint[]): [start: number, length: number] {
  let best: [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0n) length += 1;
    if (length > best[1]) best = [start, length];
  }
  return best;
}

export const printCidr = ({ ip, length }: Cidr): string => `${printIp(ip)}/${length}`;

const width = (family: 4 | 6): number => (family === 4 ? 32 : 128);
const shared = (ip: Ip, length: number): bigint => ip.bits >> BigInt(width(ip.family) - length);

const containsIp = (net: Cidr, ip: CelValue): CelValue => {
  if (!(ip instanceof Ip)) return noSuchOverload;
  return ip.family === net.ip.family && shared(ip, net.length) === shared(net.ip, net.length);
};

const containsCidr = (net: Cidr, other: CelValue): CelValue => {
  if (!(other instanceof Cidr)) return noSuchOverload;
  return other.length >= net.length && containsIp(net, other.ip) === true;
};

function masked({ ip, length }: Cidr): CelValue {
  const rest = BigInt(width(ip.family) - length);
  return new Cidr(new Ip((ip.bits >> rest) << rest, ip.family), length);
}

const inside = (v4: string, v6: string): ((ip: Ip) => boolean) => {
  const nets = [parseCidr(v4), parseCidr(v6)] as [Cidr, Cidr];
  return (ip) => nets.some((net) => containsIp(net, ip) === true);
};

const isUnspecified = inside('0.0.0.0/32', '::/128');
const isLoopback = inside('127.0.0.0/8', '::1/128');
const isLinkLocalMulticast = inside('224.0.0.0/24', 'ff02::/16');
const isLinkLocalUnicast = inside('169.254.0.0/16', 'fe80::/10');
const isMulticast = inside('224.0.0.0/4', 'ff00::/8');
const isBroadcast = (ip: Ip): boolean => ip.family === 4 && ip.bits === 0xffffffffn;

const isGlobalUnicast = (ip: Ip): boolean =>
  ![isBroadcast, isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(ip));

const test = (is: (ip: Ip) => boolean): Rows[string] => [['net.IP.() -> bool', is]];

export const addressRows: Rows = {
  ip: [
    ['(string) -> net.IP', parseIp],
    ['net.CIDR.() -> net.IP', ({ ip }: Cidr) => ip],
  ],
  isIP: [['(string) -> bool', (text: string) => parseIp(text) instanceof Ip]],
  'ip.isCanonical': [
    [
      '(string) -> bool',
      (text: string) => {
        const ip = parseIp(text);
        return ip instanceof Ip ? printIp(ip) === text : ip;
      },
    ],
  ],
  family: [['net.IP.() -> int', ({ family }: Ip) => BigInt(family)]],
  isUnspecified: test(isUnspecified),
  isLoopback: test(isLoopback),
  isLinkLocalMulticast: test(isLinkLocalMulticast),
  isLinkLocalUnicast: test(isLinkLocalUnicast),
  isGlobalUnicast: test(isGlobalUnicast),
  string: [
    ['(net.IP) -> string', printIp],
    ['(net.CIDR) -> string', printCidr],
  ],
  cidr: [['(string) -> net.CIDR', parseCidr]],
  isCIDR: [['(string) -> bool', (text: string) => parseCidr(text) instanceof Cidr]],
  containsIP: [
    ['net.CIDR.(string) -> bool', (net: Cidr, text: string) => containsIp(net, parseIp(text))],
    ['net.CIDR.(net.IP) -> bool', containsIp],
  ],
  containsCIDR: [
    ['net.CIDR.(string) -> bool', (net: Cidr, text: string) => containsCidr(net, parseCidr(text))],
    ['net.CIDR.(net.CIDR) -> bool', containsCidr],
  ],
  prefixLength: [['net.CIDR.() -> int', ({ length }: Cidr) => BigInt(length)]],
  masked: [['net.CIDR.() -> net.CIDR', masked]],
};

const once: Charge = ([text]) => (typeof text === 'string' ? traversal(text) : 1);
export const addressCharges: Readonly<Record<string, Charge>> = {
  ip: once,
  isIP: once,
  'ip.isCanonical': ([text]) => traversal(text, 2),
  cidr: once,
  isCIDR: once,
  containsIP: ([, other]) => 1 + (typeof other === 'string' ? traversal(other) : 0),
  containsCIDR: ([, other]) => 3 + (typeof other === 'string' ? traversal(other) : 0),
};
