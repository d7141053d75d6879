import type { Ctx } from '#base/std';
import type { Remote, UrlCredentials } from '../repository-url.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment } from './route.ts';

/**
 * The authorization header for an HTTP host; undefined: none. Kinds of credentials are used in the order of sources
 * CRED-5. It is sent at once, whether or not `forceHttpBasicAuth` is set, without waiting for a challenge.
 */
export async function authorization(
  ctx: Ctx,
  repository: GitRepository,
  remote: Remote & { kind: 'http' },
  around: GitEnvironment,
): Promise<string | undefined> {
  const { credentials = {} } = repository;
  const { username, password, bearerToken } = credentials;
  if (bearerToken) return `Bearer ${oneLine(bearerToken)}`;
  if (password) return basic(username || 'x-access-token', password); // compat sources CRED-6
  if (credentials.githubAppPrivateKey && credentials.githubAppId) {
    const token = await around.tokens.githubApp(ctx, repository, remote);
    return basic('x-access-token', token); // compat sources CRED-7
  }
  if (credentials.gcpServiceAccountKey) {
    return `Basic ${base64(await around.tokens.google(ctx, repository, remote.shown))}`;
  }
  if (credentials.useAzureWorkloadIdentity || credentials.azureServicePrincipalClientSecret) {
    return `Bearer ${oneLine(await around.tokens.azure(ctx, repository, remote.shown))}`;
  }
  if (username) return basic(username, '');
  return fromUrl(remote.login);
}

const fromUrl = (login: UrlCredentials | undefined): string | undefined =>
  login ? basic(login.username || 'x-access-token', login.password) : undefined;

const basic = (username: string, password: string): string => `Basic ${base64(`${username}:${password}`)}`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A secret copied with its line break must not begin a second header. */
const oneLine = (secret: string): string => secret.replace(/[\r\n]+/g, '');
