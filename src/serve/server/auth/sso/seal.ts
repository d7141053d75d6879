import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** What a sealed text is for; one for one purpose is worth nothing for another. */
export type Purpose = 'login' | 'companion' | 'keys';

const algorithm = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];

/** A value that only holders of the signing key can read or make: AES-256-GCM with a key derived from it. */
export function seal(signingKey: Uint8Array, purpose: Purpose, value: unknown): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyFor(signingKey, purpose), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Undefined for anything that was not sealed with this key for this purpose. */
export function unseal(signingKey: Uint8Array, purpose: Purpose, text: string): unknown {
  const bytes = Buffer.from(text, 'base64url');
  const [iv, tag, sealed] = [
    bytes.subarray(0, ivBytes),
    bytes.subarray(ivBytes, ivBytes + tagBytes),
    bytes.subarray(ivBytes + tagBytes),
  ];
  if (tag.length !== tagBytes) return undefined;
  try {
    const cipher = createDecipheriv(algorithm, keyFor(signingKey, purpose), iv, { authTagLength: tagBytes });
    cipher.setAuthTag(tag);
    return JSON.parse(Buffer.concat([cipher.update(sealed), cipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

function keyFor(signingKey: Uint8Array, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', signingKey, '', `fairlead sso ${purpose}`, 32));
}
