import { FairleadError } from '#base/std';
import { Bytes } from './bytes.ts';

export type Packet = { readonly tag: number; readonly body: Uint8Array };

/** The supported kinds of packets. Others are skipped, as RFC 9580 requires. */
export const tag = { signature: 2, publicKey: 6, publicSubkey: 14, userId: 13, userAttribute: 17 } as const;

const mostPackets = 10_000;

/** Splits a stream into packets (RFC 9580, 4.2). Throws InvalidSpec for a broken one. */
export function readPackets(stream: Uint8Array): Packet[] {
  const bytes = new Bytes(stream);
  const packets: Packet[] = [];
  while (bytes.left > 0) {
    const head = bytes.byte();
    if ((head & 0x80) === 0)
      throw new FairleadError('InvalidSpec', 'a key or signature is no OpenPGP packet');
    packets.push((head & 0x40) === 0 ? oldPacket(bytes, head) : newPacket(bytes, head));
    if (packets.length > mostPackets) throw new FairleadError('LimitExceeded', 'a key has too many packets');
  }
  return packets;
}

function oldPacket(bytes: Bytes, head: number): Packet {
  const kind = head & 3;
  const body = kind === 3 ? bytes.rest() : bytes.take(bytes.number(1 << kind));
  return { tag: (head >> 2) & 15, body };
}

function newPacket(bytes: Bytes, head: number): Packet {
  const length = packetLength(bytes);
  // only data may come in parts, and there is none in keys and signatures
  if (length === undefined) throw new FairleadError('InvalidSpec', 'a key or signature comes in parts');
  return { tag: head & 63, body: bytes.take(length) };
}

/** The length of a packet or a subpacket in the newer format; undefined: it comes in parts. */
function packetLength(bytes: Bytes): number | undefined {
  const first = bytes.byte();
  if (first < 192) return first;
  if (first < 224) return (first - 192) * 256 + bytes.byte() + 192;
  return first === 255 ? bytes.number(4) : undefined;
}
