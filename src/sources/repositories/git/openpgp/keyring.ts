import { FairleadError } from '#base/std';
import { dearmor } from './armor.ts';
import { type PgpSigningKey, readCertificates } from './certificate.ts';
import { readPackets, tag } from './packets.ts';
import { type PgpSignature, readSignature, signatureType } from './signature.ts';

/** compat sources INT-5: the results of verifying a signature. */
export type SignatureResult =
  | 'signed'
  | 'bad signature'
  | 'expired signature'
  | 'signed with expired key'
  | 'signed with revoked key'
  | 'signed with key not in keyring'
  | 'unsigned';

/** `keyId` is the key that signed, `primaryId` its primary key; both empty where the signer is unknown. */
export type SignatureVerdict = {
  readonly result: SignatureResult;
  readonly keyId: string;
  readonly primaryId: string;
};

/** dev sources INT-9: gpg still accepts SHA-1 in signatures of data; we do not. */
const unsafe = 'sha1';

/** The keys that are trusted to sign. All of them: policies decide which may sign what. */
export class Keyring {
  readonly #keys = new Map<string, PgpSigningKey>();

  /** Reads armoured keys. A text without usable keys adds none. */
  constructor(armored: readonly string[]) {
    for (const text of armored) {
      for (const key of usableKeys(text)) this.#keys.set(key.key.id, key);
    }
  }

  /** Verifies a detached signature over some data, `now` being in seconds. */
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

/** Two signatures in one text are ambiguous; neither counts. */
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

/** In gpg's order: errors of the proof, of its age, of the key. */
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
