import { isObject } from '#base/std';

type TokenClaims = {
  readonly issuer: string | undefined;
  readonly name: string;
  /** In seconds; undefined: never. */
  readonly expires: number | undefined;
  /** In seconds. */
  readonly issued: number | undefined;
  readonly id: string;
};

/** What a token says of itself, for its holder; nothing is verified. Undefined for what is no token. */
export function claimsOf(token: string): TokenClaims | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (!isObject(claims)) return undefined;
    const { iss, sub, email, exp, iat, jti } = claims;
    return {
      issuer: typeof iss === 'string' ? iss : undefined,
      name: String(email ?? sub ?? ''),
      expires: typeof exp === 'number' ? exp : undefined,
      issued: typeof iat === 'number' ? iat : undefined,
      id: typeof jti === 'string' ? jti : '',
    };
  } catch {
    return undefined;
  }
}
