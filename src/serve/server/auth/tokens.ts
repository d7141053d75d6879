import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { FairleadError } from '#base/std';
import type { RbacSubject } from '../rbac/live-policy.ts';
import type { Credentials } from './accounts.ts';

/** The user of a request, from a verified token. */
export type SessionUser = {
  readonly username: string;
  readonly issuer: string;
  readonly subject: RbacSubject;
  /** The token's id, and when it was issued and expires, in seconds. */
  readonly token?: { readonly id: string; readonly issued: number; readonly expires?: number | undefined };
  /** Aborts when the credentials that the token was verified with have changed: streams end. Left out: never. */
  readonly ends?: AbortSignal;
};

const issuer = 'argocd';
const refused = (cause?: unknown) => new FairleadError('Auth', 'invalid session: log in again', cause);

/** compat server §4.2: HS256, `<user>:login`, iat and nbf now, a random id. A lifetime of 0 never expires. */
export async function issueToken(
  { signingKey }: Credentials,
  username: string,
  lifetime: { now: Date; ms: number },
): Promise<string> {
  const iat = Math.floor(lifetime.now.getTime() / 1000);
  const token = new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(`${username}:login`)
    .setIssuedAt(iat)
    .setNotBefore(iat)
    .setJti(randomUUID());
  if (lifetime.ms > 0) token.setExpirationTime(iat + Math.floor(lifetime.ms / 1000));
  return token.sign(signingKey);
}

/** Throws Auth unless the token is ours, in time, for a login of an account that exists, and younger than its password. */
export async function verifyToken(credentials: Credentials, token: string, now: Date): Promise<SessionUser> {
  const { sub, iat, exp, jti } = await claims(credentials, token, now);
  const [username, capability, ...more] = (sub ?? '').split(':');
  if (username !== 'admin' || capability !== 'login' || more.length > 0) throw refused();
  if (iat === undefined || !jti) throw refused();
  const changed = Math.floor(credentials.passwordMtime.getTime() / 1000);
  if (iat < changed) throw new FairleadError('Auth', 'the password has changed since: log in again');
  const subject = { user: username, isLocal: true };
  return { username, issuer, subject, token: { id: jti, issued: iat, expires: exp } };
}

async function claims({ signingKey }: Credentials, token: string, now: Date) {
  try {
    const options = { algorithms: ['HS256'], issuer, currentDate: now, requiredClaims: ['iat', 'jti'] };
    return (await jwtVerify(token, signingKey, options)).payload;
  } catch (error) {
    throw refused(error);
  }
}
