import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, implicit, integer, moment, octets, oid, sequence, set, tagged, text, yes } from './der.ts';

/** A certificate and its key in PEM. */
export type CertificatePair = { readonly certificate: string; readonly key: string };

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
type Name = { readonly user: string; readonly groups?: readonly string[] };
type Use = { readonly for: 'client' } | { readonly for: 'server'; readonly hosts: readonly string[] };

const year = 365 * 24 * 3600 * 1000;
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/**
 * A certificate authority that signs for ten years. Hand-written because the library for it takes longer to load
 * than the rest of the cluster takes to start (decision 17).
 */
export class Authority {
  readonly pair: CertificatePair;
  readonly #keys = newKeys();
  readonly #name: Name = { user: 'fairlead embedded cluster' };
  readonly #now: Date;

  constructor(now: Date) {
    this.#now = now;
    const isAuthority = extension('2.5.29.19', sequence(yes));
    const mayCertify = extension('2.5.29.15', bits(Buffer.from([0x84]), 2));
    this.pair = this.#sign(this.#keys, this.#name, [isAuthority, mayCertify]);
  }

  /** A new key with a certificate for one use. */
  issue(name: Name, use: Use): CertificatePair {
    return this.#sign(newKeys(), name, leafExtensions(use));
  }

  #sign(keys: Keys, name: Name, extensions: readonly Buffer[]): CertificatePair {
    const [issuer, signer, from] = [this.#name, this.#keys.privateKey, this.#now];
    return certificateOf(keys, { name, issuer, signer, from, lifeMs: 10 * year, extensions });
  }
}

/** A new key with a certificate of its own signature, for a server at these hosts. */
export function selfSigned(
  name: Name,
  options: { readonly hosts: readonly string[]; readonly from: Date; readonly lifeMs: number },
): CertificatePair {
  const keys = newKeys();
  const { hosts, from, lifeMs } = options;
  const extensions = leafExtensions({ for: 'server', hosts });
  return certificateOf(keys, { name, issuer: name, signer: keys.privateKey, from, lifeMs, extensions });
}

type Content = {
  readonly name: Name;
  readonly issuer: Name;
  readonly signer: KeyObject;
  /** An hour is subtracted: clocks differ. */
  readonly from: Date;
  readonly lifeMs: number;
  readonly extensions: readonly Buffer[];
};

function certificateOf(keys: Keys, content: Content): CertificatePair {
  const { name, issuer, signer, from, lifeMs, extensions } = content;
  const time = from.getTime();
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and never with a leading zero byte
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    distinguished(issuer),
    sequence(moment(new Date(time - 3600_000)), moment(new Date(time + lifeMs))),
    distinguished(name),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer);
  return {
    certificate: pem('CERTIFICATE', sequence(body, ecdsaWithSha256, bits(signature))),
    key: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

function leafExtensions(use: Use): readonly Buffer[] {
  const usage = use.for === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
  return [
    extension('2.5.29.19', sequence()),
    extension('2.5.29.15', bits(Buffer.from([0x80]), 7)),
    plainExtension('2.5.29.37', sequence(oid(usage))),
    ...(use.for === 'server' ? [plainExtension('2.5.29.17', sequence(...use.hosts.map(alternative)))] : []),
  ];
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), yes, octets(value));
const plainExtension = (id: string, value: Buffer): Buffer => sequence(oid(id), octets(value));

/** compat cluster 3.18: groups are organizations, the user is the common name. */
function distinguished({ user, groups = [] }: Name): Buffer {
  const part = (id: string, value: string) => set(sequence(oid(id), text(value)));
  return sequence(...groups.map((group) => part('2.5.4.10', group)), part('2.5.4.3', user));
}

function alternative(host: string): Buffer {
  const kind = isIP(host);
  if (kind === 0) return implicit(2, Buffer.from(host));
  return implicit(7, kind === 4 ? Buffer.from(host.split('.').map(Number)) : sixteen(host));
}

/** The bytes of an IPv6 address. */
function sixteen(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (half: string) =>
    half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16));
  const [front, back] = [groups(head), groups(tail)];
  const all = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
