import { jwtVerify, SignJWT } from 'jose';
import { FairleadError, Lru } from '#base/std';
import type { RbacSubject } from '../rbac/live-policy.ts';

/** compat server §4.2: from a login, for programs, of a project's role, or of an identity provider. */
type TokenKind = 'login' | 'apiKey' | 'role' | 'sso';

/** The user of a request, from a verified token. */
export type SessionUser = {
  /** The account's name, `proj:<project>:<role>`, or what an identity provider calls the user. */
  readonly username: string;
  readonly issuer: string;
  readonly subject: RbacSubject;
  readonly kind: TokenKind;
  /** The token's id, and when it was issued and expires, in seconds. */
  readonly token: { readonly id: string; readonly issued: number; readonly expires?: number | undefined };
  /** Aborts when the credentials that the token was verified with have changed: streams end. Left out: never. */
  readonly ends?: AbortSignal;
};

/** What replaces the cookies of a session. */
export type RenewedSession = { readonly token: string; readonly companion?: string | undefined };

/** The issuer of tokens of ours. */
export const issuer = 'argocd';
const refused = (cause?: unknown) => new FairleadError('Auth', 'invalid session: log in again', cause);

/** A token to issue; times in seconds, `expires` undefined: never. */
export type NewToken = {
  /** `<user>:login`, `<user>:apiKey` or `proj:<project>:<role>`. */
  readonly subject: string;
  readonly id: string;
  readonly issued: number;
  /** The time of issue when left out. */
  readonly notBefore?: number;
  readonly expires?: number | undefined;
};

/** Seconds since the epoch; 0 for no time. */
export const secondOf = (time: Date | undefined): number => Math.floor((time?.getTime() ?? 0) / 1000);

/** The seconds that the time of a password, and so of the tokens after it, is ahead of the clock at most. */
export const mostAhead = 2;

/**
 * The time of issue of a new token of an account. Tokens have whole seconds: one that is issued in the second of a new password
 * counts as issued right after it, and every earlier one as before it.
 */
export function issueTime(
  now: Date,
  passwordMtime: Date | undefined,
): Pick<NewToken, 'issued' | 'notBefore'> {
  const notBefore = secondOf(now);
  const changed = secondOf(passwordMtime);
  return { issued: changed - notBefore <= mostAhead ? Math.max(notBefore, changed) : notBefore, notBefore };
}

/** compat server §4.2: HS256 with the claims of the peer. */
export async function signToken(
  signingKey: Uint8Array,
  { subject, id, issued, notBefore = issued, expires }: NewToken,
): Promise<string> {
  const token = new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(subject)
    .setIssuedAt(issued)
    .setNotBefore(notBefore)
    .setJti(id);
  if (expires !== undefined) token.setExpirationTime(expires);
  return token.sign(signingKey);
}

/**
 * Verifies signatures, each token's once: a client sends the same one with every request. A token that was verified is the same
 * object again, so that what is cached for its subject is found. Whether it is still valid is not decided here.
 */
export class TokenVerifier {
  readonly #read = new Lru<{ readonly user: SessionUser; readonly notBefore: number }>({ capacity: 5_000 });
  #key: Uint8Array | undefined;

  /** Throws Auth unless the token was signed with this key, is ours, and in time. */
  async read(signingKey: Uint8Array, token: string, now: Date): Promise<SessionUser> {
    if (this.#key !== signingKey) this.#read.clear();
    this.#key = signingKey;
    const seconds = now.getTime() / 1000;
    const known = this.#read.get(token);
    if (known) {
      const { expires } = known.user.token;
      if (seconds < known.notBefore || (expires !== undefined && seconds >= expires)) throw refused();
      return known.user;
    }
    const claims = await claimsOf(signingKey, token, now);
    const user = userOf(claims);
    // the key may have changed meanwhile
    if (this.#key === signingKey) this.#read.set(token, { user, notBefore: claims.nbf ?? 0 });
    return user;
  }
}

type Claims = Awaited<ReturnType<typeof claimsOf>>;

function userOf({ sub = '', iat, exp, jti }: Claims): SessionUser {
  const parts = sub.split(':');
  if (iat === undefined || !jti || parts.includes('')) throw refused();
  const token = { id: jti, issued: iat, expires: exp };
  const [first = '', second = ''] = parts;
  if (parts.length === 3 && first === 'proj')
    return { username: sub, issuer, subject: { user: sub, isLocal: true }, kind: 'role', token };
  if (parts.length !== 2 || (second !== 'login' && second !== 'apiKey')) throw refused();
  return { username: first, issuer, subject: { user: first, isLocal: true }, kind: second, token };
}

async function claimsOf(signingKey: Uint8Array, token: string, now: Date) {
  try {
    const options = { algorithms: ['HS256'], issuer, currentDate: now, requiredClaims: ['iat', 'jti'] };
    return (await jwtVerify(token, signingKey, options)).payload;
  } catch (error) {
    throw refused(error);
  }
}
