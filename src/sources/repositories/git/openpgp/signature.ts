import { FairleadError } from '#base/std';
import { Bytes, fourBytes } from './bytes.ts';

/** A signature of version 4, with the fields that we use. Times are in seconds. */
export type PgpSignature = {
  readonly type: number;
  readonly keyAlgorithm: number;
  readonly hash: string;
  readonly created: number;
  /** Seconds after its creation; 0: never. */
  readonly lifetime: number;
  /** Seconds after the creation of the key it certifies; 0: never. */
  readonly keyLifetime: number;
  readonly keyFlags: number | undefined;
  /** Sixteen upper-case digits; undefined: not given. */
  readonly issuer: string | undefined;
  /** The signature of a subkey over its primary key, within the one that binds it. */
  readonly embedded: Uint8Array | undefined;
  /** The bytes that are hashed after the data. */
  readonly trailer: Uint8Array;
  /** The proof itself, in the form of its algorithm. */
  readonly proof: Uint8Array;
};

export const signatureType = {
  binary: 0x00,
  text: 0x01,
  certification: [0x10, 0x11, 0x12, 0x13] as readonly number[],
  subkeyBinding: 0x18,
  primaryBinding: 0x19,
  directKey: 0x1f,
  keyRevocation: 0x20,
  subkeyRevocation: 0x28,
} as const;

const hashes: Readonly<Record<number, string>> = {
  2: 'sha1',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
};

/** Subpackets that do not affect the result; another one that is marked as critical makes the signature unusable. */
const ignorable: ReadonlySet<number> = new Set([
  4, 5, 7, 10, 11, 12, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31, 34, 35,
]);

/** Reads a signature (RFC 9580, 5.2.3). Throws InvalidSpec for another version or unsupported content. */
export function readSignature(body: Uint8Array): PgpSignature {
  const bytes = new Bytes(body);
  const version = bytes.byte();
  if (version !== 4) throw unusable(`is of version ${version}, and only 4 is known`);
  const [type, keyAlgorithm, hashId] = [bytes.byte(), bytes.byte(), bytes.byte()];
  const hash = hashes[hashId];
  if (hash === undefined) throw unusable(`uses hash ${hashId}, which is not known or not safe`);
  const hashed = bytes.take(bytes.number(2));
  const length = 6 + hashed.length;
  const trailer = Buffer.concat([body.subarray(0, length), Uint8Array.of(4, 0xff), fourBytes(length)]);
  const fields = subpackets(hashed);
  const loose = subpackets(bytes.take(bytes.number(2)));
  bytes.take(2); // the first bits of the hash, for a quick rejection
  return { type, keyAlgorithm, hash, ...meaning(fields, loose), trailer, proof: bytes.rest() };
}

type Fields = ReadonlyMap<number, Uint8Array>;

/** Only hashed fields are trusted; the issuer may be unhashed, because the key proves it. */
function meaning(fields: Fields, loose: Fields) {
  const seconds = (kind: number): number => {
    const value = fields.get(kind);
    return value ? new Bytes(value).number(4) : 0;
  };
  return {
    created: seconds(2),
    lifetime: seconds(3),
    keyLifetime: seconds(9),
    keyFlags: fields.get(27)?.[0],
    issuer: issuerIn(fields) ?? issuerIn(loose),
    embedded: fields.get(32) ?? loose.get(32),
  };
}

function issuerIn(fields: Fields): string | undefined {
  const fingerprint = fields.get(33);
  const id = fingerprint?.[0] === 4 ? fingerprint.subarray(-8) : fields.get(16);
  return id?.length === 8 ? Buffer.from(id).toString('hex').toUpperCase() : undefined;
}

const known: ReadonlySet<number> = new Set([2, 3, 9, 16, 27, 32, 33]);

function subpackets(area: Uint8Array): Fields {
  const bytes = new Bytes(area);
  const fields = new Map<number, Uint8Array>();
  while (bytes.left > 0) {
    const body = new Bytes(bytes.take(subpacketLength(bytes)));
    const head = body.byte();
    const kind = head & 0x7f;
    if (head > 0x7f && !known.has(kind) && !ignorable.has(kind))
      throw unusable(`demands what we do not know (${kind})`);
    if (!fields.has(kind)) fields.set(kind, body.rest());
  }
  return fields;
}

/** Unlike a packet, a subpacket never has partial lengths: their marker is part of the length. */
function subpacketLength(bytes: Bytes): number {
  const first = bytes.byte();
  if (first < 192) return first;
  return first === 255 ? bytes.number(4) : (first - 192) * 256 + bytes.byte() + 192;
}

const unusable = (why: string): FairleadError => new FairleadError('InvalidSpec', `the signature ${why}`);
