import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../../../test/cases.ts';
import { dearmor } from './armor.ts';
import { Keyring, type SignatureVerdict } from './keyring.ts';
import { type Packet, readPackets, tag } from './packets.ts';

type Input = { key: string; data: string; signature: string; now: string };
const all = cases<SignatureVerdict>(new URL('./testdata/', import.meta.url));
const inputOf = (name: string): Input => all.find((one) => one.name === name)?.input[0] as Input;

const judge = ({ key, data, signature, now }: Input): SignatureVerdict =>
  new Keyring([key]).judge(signature, new TextEncoder().encode(data), Date.parse(now) / 1000);

describe('a signature is judged as gpg judges it (INT-5, INT-9)', () => {
  test.each(all)('$name', ({ input, expect: expected }) => {
    expect(judge(input[0] as Input)).toEqual(expected);
  });

  test('line ends and headers of the armour do not matter', () => {
    const input = inputOf('signed-ed');
    const worn = (text: string): string =>
      text.replace(/^(-----BEGIN .*)$/m, '$1\nVersion: x\nComment: a: b').replaceAll('\n', '\r\n');
    expect(judge({ ...input, key: worn(input.key), signature: worn(input.signature) }).result).toBe('signed');
  });

  test('any bit that is changed makes it worthless', () => {
    const input = inputOf('signed-ed');
    const [bytes = new Uint8Array()] = dearmor(input.signature, 'SIGNATURE');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x04;
      const { result } = judge({ ...input, signature: armored(changed, 'SIGNATURE') });
      // the key id outside of what is hashed only says where to look, and the hint of the hash says nothing
      if (result === 'signed') expect(isLoose(at, bytes)).toBe(true);
    }
  });
});

describe('a certificate is believed only as far as its owner signed it', () => {
  const packetsOf = (name: string): Packet[] =>
    dearmor(inputOf(name).key, 'PUBLIC KEY BLOCK').flatMap((bytes) => readPackets(bytes));
  const judged = (name: string, packets: readonly Packet[]) =>
    judge({ ...inputOf(name), key: armored(written(packets), 'PUBLIC KEY BLOCK') }).result;

  test('the whole of it is good', () => {
    expect(judged('signed-subkey', packetsOf('signed-subkey'))).toBe('signed');
    expect(judged('signed-ed', packetsOf('signed-ed'))).toBe('signed');
  });

  test('a key that nobody vouches for is none', () => {
    const bare = packetsOf('signed-ed').filter((packet) => packet.tag === tag.publicKey);
    expect(judged('signed-ed', bare)).toBe('signed with key not in keyring');
  });

  test('a name that somebody else wrote in is no voucher', () => {
    const [key, name, ...rest] = packetsOf('signed-ed') as [Packet, Packet, ...Packet[]];
    const other = { ...name, body: new TextEncoder().encode('somebody else') };
    expect(judged('signed-ed', [key, other, ...rest])).toBe('signed with key not in keyring');
  });

  test('a subkey without a binding, or bound by another key, does not count', () => {
    const own = packetsOf('signed-subkey');
    const at = own.findIndex((packet) => packet.tag === tag.publicSubkey);
    expect(judged('signed-subkey', own.slice(0, at + 1))).toBe('signed with key not in keyring');
    const stolen = [...packetsOf('signed-ed'), ...own.slice(at)];
    expect(judged('signed-subkey', stolen)).toBe('signed with key not in keyring');
  });

  test('broken packets end in no key and no crash', () => {
    const [bytes = new Uint8Array()] = dearmor(inputOf('signed-subkey').key, 'PUBLIC KEY BLOCK');
    for (let length = 0; length < bytes.length; length += 3) {
      const cut = armored(bytes.subarray(0, length), 'PUBLIC KEY BLOCK');
      expect(judge({ ...inputOf('signed-subkey'), key: cut }).result).toBe('signed with key not in keyring');
    }
  });
});

test('whatever stands in a signature or a key, the answer is a verdict', () => {
  const { key, data, signature } = inputOf('signed-subkey');
  const [sig = new Uint8Array()] = dearmor(signature, 'SIGNATURE');
  const [cert = new Uint8Array()] = dearmor(key, 'PUBLIC KEY BLOCK');
  const noise = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 });
  const spoiled = (bytes: Uint8Array, changes: readonly (readonly [number, number])[]): Uint8Array => {
    const out = Uint8Array.from(bytes);
    for (const [at, byte] of changes) out[at % out.length] = byte;
    return out;
  };
  fc.assert(
    fc.property(noise, noise, (inSignature, inKey) => {
      const verdict = judge({
        key: armored(spoiled(cert, inKey), 'PUBLIC KEY BLOCK'),
        data: `${data}!`, // so that it can never be right
        signature: armored(spoiled(sig, inSignature), 'SIGNATURE'),
        now: '2025-01-01T00:00:00Z',
      });
      expect(verdict.result).not.toBe('signed');
    }),
    { numRuns: 300 },
  );
});

const armored = (bytes: Uint8Array, kind: string): string =>
  `-----BEGIN PGP ${kind}-----\n\n${Buffer.from(bytes).toString('base64')}\n-----END PGP ${kind}-----\n`;

const written = (packets: readonly Packet[]): Uint8Array =>
  Buffer.concat(
    packets.flatMap(({ tag: kind, body }) => {
      const size = Buffer.alloc(4);
      size.writeUInt32BE(body.length);
      return [Uint8Array.of(0xc0 | kind, 0xff), size, body];
    }),
  );

/** Behind the hashed part: the other subpackets and two bytes of the hash. */
function isLoose(at: number, bytes: Uint8Array): boolean {
  const hashedEnd = 2 + 6 + (((bytes[6] ?? 0) << 8) | (bytes[7] ?? 0));
  const looseEnd = hashedEnd + 2 + (((bytes[hashedEnd] ?? 0) << 8) | (bytes[hashedEnd + 1] ?? 0)) + 2;
  return at >= hashedEnd && at < looseEnd;
}
