import { FairleadError } from '#base/std';
import { dearmor } from './armor.ts';
import { type PgpSigningKey, readCertificates } from './certificate.ts';
import { readPackets, tag } from './packets.ts';
import { type PgpSignature, readSignature, signatureType } from './signature.ts';

/** compat INT-5: what there is to say about a signature. */
export type SignatureResult =
  | 'signed'
  | 'bad signature'
  | 'expired signature'
  | 'signed with expired key'
  | 'signed with revoked key'
  | 'signed with key not in keyring'
  | 'unsigned';

/** `keyId` is the key that signed, `primaryId` the one it belongs to; both empty where nobody can be named. */
export type SignatureVerdict = {
  readonly result: SignatureResult;
  readonly keyId: string;
  readonly primaryId: string;
};

/** dev INT-9: gpg still believes SHA-1 where data is signed; we do not. */
const unsafe = 'sha1';

/** The keys that are trusted to sign. All of them: which may sign what is for policies to say. */
export class Keyring {
  readonly #keys = new Map<string, PgpSigningKey>();

  /** Reads armoured keys. A text that holds none that we can use adds none. */
  constructor(armored: readonly string[]) {
    for (const text of armored) {
      for (const key of usableKeys(text)) this.#keys.set(key.key.id, key);
    }
  }

  /** Judges a detached signature over some data, `now` being in seconds. */
  judge(armored: string, data: Uint8Array, now: number): SignatureVerdict {
    const signature = onlySignature(armored);
    if (!signature) return verdict('bad signature');
    const found = this.#keys.get(signature.issuer ?? '');
    if (!found) return verdict('signed with key not in keyring', signature.issuer);
    return { result: resultOf(signature, found, data, now), keyId: found.key.id, primaryId: found.primaryId };
  }
}

export const verdict = (result: SignatureResult, keyId = ''): SignatureVerdict => ({
  result,
  keyId,
  primaryId: '',
});

function usableKeys(text: string): PgpSigningKey[] {
  try {
    return dearmor(text, 'PUBLIC KEY BLOCK').flatMap(readCertificates);
  } catch (error) {
    if (error instanceof FairleadError) return [];
    throw error;
  }
}

/** Two signatures in one place leave open which of them counts; neither does. */
function onlySignature(armored: string): PgpSignature | undefined {
  try {
    const packets = dearmor(armored, 'SIGNATURE').flatMap(readPackets);
    const [packet] = packets;
    return packets.length === 1 && packet?.tag === tag.signature ? readSignature(packet.body) : undefined;
  } catch (error) {
    if (error instanceof FairleadError) return undefined;
    throw error;
  }
}

/** In gpg's order: what is wrong with the proof, with its age, with the key. */
function resultOf(
  signature: PgpSignature,
  { key, expires, isRevoked }: PgpSigningKey,
  data: Uint8Array,
  now: number,
): SignatureResult {
  const signed = signedData(signature, data);
  if (!signed || signature.created < key.created || !key.proves(signature, [signed])) return 'bad signature';
  if (signature.lifetime > 0 && signature.created + signature.lifetime <= now) return 'expired signature';
  if (expires !== undefined && expires <= now) return 'signed with expired key';
  return isRevoked ? 'signed with revoked key' : 'signed';
}

function signedData({ type, hash }: PgpSignature, data: Uint8Array): Uint8Array | undefined {
  if (hash === unsafe) return undefined;
  if (type === signatureType.binary) return data;
  if (type !== signatureType.text) return undefined;
  const text = Buffer.from(data).toString('latin1');
  return Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1');
}
