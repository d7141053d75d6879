import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { FairleadError } from '#std';
import type { Credentials } from './accounts.ts';

/** Who asks. */
export type User = {
  readonly username: string;
  readonly issuer: string;
  readonly expires?: Date;
  /** Aborts when they have to show anew that they may be let in: their streams end. Left out: never. */
  readonly ends?: AbortSignal;
};

const issuer = 'argocd';
const refused = () => new FairleadError('Auth', 'invalid session: log in again');

/** compat server §4.2: HS256, `<user>:login`, iat and nbf now, a random id. */
export async function issueToken(
  { signingKey }: Credentials,
  username: string,
  lifetime: { now: Date; ms: number },
): Promise<string> {
  const iat = Math.floor(lifetime.now.getTime() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(`${username}:login`)
    .setIssuedAt(iat)
    .setNotBefore(iat)
    .setExpirationTime(iat + Math.floor(lifetime.ms / 1000))
    .setJti(randomUUID())
    .sign(signingKey);
}

/** Throws Auth unless the token is ours, in time, for a login of an account that exists, and younger than its password. */
export async function verifyToken(credentials: Credentials, token: string, now: Date): Promise<User> {
  const { sub, iat, exp } = await claims(credentials, token, now);
  const [username, capability] = (sub ?? '').split(':');
  if (username !== 'admin' || capability !== 'login' || iat === undefined) throw refused();
  const changed = Math.floor(credentials.passwordMtime.getTime() / 1000);
  if (iat < changed) throw new FairleadError('Auth', 'the password has changed since: log in again');
  return { username, issuer, ...(exp && { expires: new Date(exp * 1000) }) };
}

async function claims({ signingKey }: Credentials, token: string, now: Date) {
  try {
    const options = { algorithms: ['HS256'], issuer, currentDate: now, requiredClaims: ['iat', 'jti'] };
    return (await jwtVerify(token, signingKey, options)).payload;
  } catch (error) {
    throw new FairleadError('Auth', 'invalid session: log in again', error);
  }
}
