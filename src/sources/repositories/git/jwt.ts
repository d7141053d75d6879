import { createPrivateKey, sign } from 'node:crypto';

/** A signed JWT, as token endpoints require it (RS256). Throws when the key is no RSA key in PEM. */
export function signedToken(claims: Readonly<Record<string, unknown>>, key: string): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(unsigned), createPrivateKey(key));
  return `${unsigned}.${signature.toString('base64url')}`;
}
