import { createHash } from 'node:crypto';
import { FairleadError } from '#base/std';
import { dearmor } from './armor.ts';
import { type Packet, readPackets, tag } from './packets.ts';
import { readPublicKey } from './public-key.ts';

/** A public key as people name it, and its armored text. */
export type DescribedKey = {
  /** Sixteen upper-case digits. */
  readonly keyID: string;
  readonly fingerprint: string;
  readonly owner: string;
  readonly subType: string;
  readonly keyData: string;
};

/**
 * The certificates of an armored text, each with an armored text of its own. Throws InvalidSpec for a text without any, and for
 * a key that could never verify a commit.
 */
export function describeKeys(text: string): readonly DescribedKey[] {
  const found = dearmor(text, 'PUBLIC KEY BLOCK').flatMap((bytes) => certificatesIn(readPackets(bytes)));
  if (found.length === 0)
    throw new FairleadError(
      'InvalidSpec',
      'the text has no armored public key: export one with gpg --armor --export',
    );
  return found.map(described);
}

function certificatesIn(packets: readonly Packet[]): (readonly Packet[])[] {
  const certificates: Packet[][] = [];
  for (const packet of packets) {
    if (packet.tag === tag.publicKey) certificates.push([packet]);
    else certificates.at(-1)?.push(packet);
  }
  return certificates;
}

function described(packets: readonly Packet[]): DescribedKey {
  const [primary] = packets;
  const { hashed, id, algorithm } = readPublicKey(primary?.body ?? new Uint8Array());
  const owner = packets.find((packet) => packet.tag === tag.userId)?.body ?? new Uint8Array();
  return {
    keyID: id,
    fingerprint: createHash('sha1').update(hashed).digest('hex').toUpperCase(),
    owner: Buffer.from(owner).toString('utf8'),
    subType:
      typeNames[algorithm] === 'rsa' ? `rsa${modulusBits(primary?.body)}` : (typeNames[algorithm] ?? ''),
    keyData: armored(Buffer.concat(packets.map(printed))),
  };
}

const typeNames: Readonly<Record<number, string>> = {
  1: 'rsa',
  3: 'rsa',
  19: 'ecdsa',
  22: 'ed25519',
  27: 'ed25519',
};

/** The modulus follows version, time and algorithm, after its length in bits. */
const modulusBits = (body: Uint8Array = new Uint8Array()): number => ((body[6] ?? 0) << 8) | (body[7] ?? 0);

/** A packet in the newer format, with a length of five bytes. */
function printed({ tag: kind, body }: Packet): Uint8Array {
  const head = Buffer.alloc(6);
  head[0] = 0xc0 | kind;
  head[1] = 0xff;
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

function armored(bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${lines.join('\n')}\n-----END PGP PUBLIC KEY BLOCK-----\n`;
}
