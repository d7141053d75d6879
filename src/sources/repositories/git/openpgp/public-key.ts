import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { FairleadError } from '#base/std';
import { Bytes, padded } from './bytes.ts';
import type { PgpSignature } from './signature.ts';

/** A key or subkey of a certificate. `id` is its sixteen upper-case digits. */
export type PublicKey = {
  readonly id: string;
  /** In seconds. */
  readonly created: number;
  readonly algorithm: number;
  /** The bytes that are hashed where the key itself is signed. */
  readonly hashed: Uint8Array;
  /** Whether a signature by this key over the data and the trailer is valid. */
  proves(signature: PgpSignature, data: readonly Uint8Array[]): boolean;
};

type Check = (signature: PgpSignature, message: Uint8Array) => boolean;

/** Reads a key of version 4 (RFC 9580, 5.5.2). Throws InvalidSpec for an unknown kind of key. */
export function readPublicKey(body: Uint8Array): PublicKey {
  const bytes = new Bytes(body);
  if (bytes.byte() !== 4) throw unknownKey('its version is not 4');
  const created = bytes.number(4);
  const algorithm = bytes.byte();
  const check = checkFor(algorithm, bytes);
  const hashed = Buffer.concat([Uint8Array.of(0x99, body.length >> 8, body.length & 0xff), body]);
  const id = createHash('sha1').update(hashed).digest('hex').slice(-16).toUpperCase();
  const proves: PublicKey['proves'] = (signature, data) =>
    signature.keyAlgorithm === algorithm &&
    succeeds(() => check(signature, Buffer.concat([...data, signature.trailer])));
  return { id, created, algorithm, hashed, proves };
}

/** A signature with malformed numbers is invalid; it is no error of ours. */
function succeeds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function checkFor(algorithm: number, bytes: Bytes): Check {
  if (algorithm === 1 || algorithm === 3) return rsa(bytes);
  if (algorithm === 19) return ecdsa(bytes);
  if (algorithm === 22) return edwards(legacyEdwardsPoint(bytes), 'legacy');
  if (algorithm === 27) return edwards(bytes.take(32), 'native');
  throw unknownKey(`its algorithm ${algorithm} is not one of RSA, ECDSA and Ed25519`);
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const keyFrom = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: 'jwk' });

/** An attacker with enough resources can break shorter keys. */
const shortestRsa = 256;

function rsa(bytes: Bytes): Check {
  const modulus = bytes.integer();
  if (modulus.length < shortestRsa) throw unknownKey('it is an RSA key of less than 2048 bits');
  const key = keyFrom({ kty: 'RSA', n: base64url(modulus), e: base64url(bytes.integer()) });
  return ({ hash, proof }, message) =>
    verify(hash, message, key, padded(new Bytes(proof).integer(), modulus.length));
}

const curves: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  '2a8648ce3d030107': { name: 'P-256', size: 32 },
  '2b81040022': { name: 'P-384', size: 48 },
  '2b81040023': { name: 'P-521', size: 66 },
};

function ecdsa(bytes: Bytes): Check {
  const curve = curves[Buffer.from(bytes.take(bytes.byte())).toString('hex')];
  if (!curve) throw unknownKey('its curve is not P-256, P-384 or P-521');
  const { name, size } = curve;
  const point = bytes.integer();
  if (point[0] !== 4 || point.length !== 1 + 2 * size) throw unknownKey('its point is not written in full');
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)];
  const key = keyFrom({ kty: 'EC', crv: name, x: base64url(x), y: base64url(y) });
  return ({ hash, proof }, message) =>
    verify(hash, message, { key, dsaEncoding: 'ieee-p1363' }, twoNumbers(proof, size));
}

const ed25519Curve = '2b06010401da470f01';

function legacyEdwardsPoint(bytes: Bytes): Uint8Array {
  const curve = Buffer.from(bytes.take(bytes.byte())).toString('hex');
  const point = bytes.integer();
  if (curve !== ed25519Curve || point[0] !== 0x40 || point.length !== 33)
    throw unknownKey('its curve is not Ed25519');
  return point.subarray(1);
}

/** The hash is signed, not the data; the older form writes its two halves as numbers. */
function edwards(point: Uint8Array, form: 'legacy' | 'native'): Check {
  const key = keyFrom({ kty: 'OKP', crv: 'Ed25519', x: base64url(point) });
  return ({ hash, proof }, message) => {
    const signed = form === 'native' ? new Bytes(proof).take(64) : twoNumbers(proof, 32);
    return verify(null, createHash(hash).update(message).digest(), key, signed);
  };
}

function twoNumbers(proof: Uint8Array, size: number): Uint8Array {
  const bytes = new Bytes(proof);
  return Buffer.concat([padded(bytes.integer(), size), padded(bytes.integer(), size)]);
}

const unknownKey = (why: string): FairleadError =>
  new FairleadError('InvalidSpec', `the key cannot be used: ${why}`);
