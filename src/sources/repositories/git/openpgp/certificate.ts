import { FairleadError } from '#base/std';
import { fourBytes } from './bytes.ts';
import { type Packet, readPackets, tag } from './packets.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';
import { type PgpSignature, readSignature, signatureType } from './signature.ts';

/** A key that may sign, and its owner's statements about it. */
export type PgpSigningKey = {
  readonly key: PublicKey;
  /** The key it belongs to, by the digits of its id; its own for a primary key. */
  readonly primaryId: string;
  /** In seconds; undefined: never. */
  readonly expires: number | undefined;
  readonly isRevoked: boolean;
};

/** A key or user id with the signatures that follow it. */
type Part = { readonly packet: Packet; readonly signatures: readonly PgpSignature[] };

const maySign = 0x02;

/**
 * The signing keys of one certificate or several in a row. Only data signed by its owner is trusted: a subkey counts
 * only when the primary key binds it and the subkey itself confirms it. Keys of unknown kinds are left out.
 */
export function readCertificates(stream: Uint8Array): PgpSigningKey[] {
  const certificates: Part[][] = [];
  for (const part of partsOf(readPackets(stream))) {
    if (part.packet.tag === tag.publicKey) certificates.push([part]);
    else certificates.at(-1)?.push(part);
  }
  return certificates.flatMap(signingKeys);
}

function partsOf(packets: readonly Packet[]): Part[] {
  const parts: { packet: Packet; signatures: PgpSignature[] }[] = [];
  for (const packet of packets) {
    if (packet.tag !== tag.signature) parts.push({ packet, signatures: [] });
    else parts.at(-1)?.signatures.push(...attempt(() => [readSignature(packet.body)], []));
  }
  return parts;
}

/**
 * A certificate collects signatures and keys over many years; one that cannot be parsed does not invalidate the others.
 */
function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof FairleadError) return otherwise;
    throw error;
  }
}

function signingKeys([own, ...others]: readonly Part[]): PgpSigningKey[] {
  const primary = own && attempt(() => readPublicKey(own.packet.body), undefined);
  if (!own || !primary) return [];
  const about = selfSignatures(primary, own, others);
  const latest = about.toSorted((a, b) => b.created - a.created)[0];
  if (!latest) return []; // it has no valid self-signature
  const isRevoked = own.signatures.some(
    (signature) =>
      signature.type === signatureType.keyRevocation && primary.proves(signature, [primary.hashed]),
  );
  const whole: PgpSigningKey = {
    key: primary,
    primaryId: primary.id,
    expires: expiry(primary, latest),
    isRevoked,
  };
  const subkeys = others
    .filter(({ packet }) => packet.tag === tag.publicSubkey)
    .flatMap((part) => attempt(() => subkeyOf(whole, part), []));
  return signs(latest) ? [whole, ...subkeys] : subkeys;
}

/** The owner's signatures over the key itself, and over the key with each of its user ids. */
function selfSignatures(primary: PublicKey, own: Part, others: readonly Part[]): PgpSignature[] {
  const direct = own.signatures.filter(
    (signature) => signature.type === signatureType.directKey && primary.proves(signature, [primary.hashed]),
  );
  const named = others
    .filter(({ packet }) => packet.tag === tag.userId)
    .flatMap(({ packet, signatures }) => {
      const data = [primary.hashed, Uint8Array.of(0xb4), fourBytes(packet.body.length), packet.body];
      return signatures.filter(
        (signature) =>
          signatureType.certification.includes(signature.type) && primary.proves(signature, data),
      );
    });
  return [...direct, ...named];
}

function subkeyOf(primary: PgpSigningKey, { packet, signatures }: Part): PgpSigningKey[] {
  const key = readPublicKey(packet.body);
  const data = [primary.key.hashed, key.hashed];
  const proven = signatures.filter((signature) => primary.key.proves(signature, data));
  const bindings = proven.filter(({ type }) => type === signatureType.subkeyBinding);
  const latest = bindings.toSorted((a, b) => b.created - a.created)[0];
  if (!latest || !signs(latest) || !isClaimed(latest, key, data)) return [];
  const ends = [expiry(key, latest), primary.expires].filter((end) => end !== undefined);
  return [
    {
      key,
      primaryId: primary.primaryId,
      expires: ends.length === 0 ? undefined : Math.min(...ends),
      isRevoked: primary.isRevoked || proven.some(({ type }) => type === signatureType.subkeyRevocation),
    },
  ];
}

/**
 * Without the subkey's own signature an attacker could bind another person's key to theirs and claim its signatures.
 */
function isClaimed({ embedded }: PgpSignature, key: PublicKey, data: readonly Uint8Array[]): boolean {
  if (!embedded) return false;
  const signature = readSignature(embedded);
  return signature.type === signatureType.primaryBinding && key.proves(signature, data);
}

/** A key without flags may be used for everything. */
const signs = ({ keyFlags }: PgpSignature): boolean => keyFlags === undefined || (keyFlags & maySign) !== 0;

const expiry = ({ created }: PublicKey, { keyLifetime }: PgpSignature): number | undefined =>
  keyLifetime === 0 ? undefined : created + keyLifetime;
