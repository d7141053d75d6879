import { realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import { isAbsolute, relative } from 'node:path';
import type { Repository, RepositoryCredentials } from '#model';
import { FairleadError } from '#std';
import { checkedAddresses, type Egress } from '../egress.ts';
import { type Login, parseRemote, type Remote } from '../repository-url.ts';
import type { GitAccess } from './command.ts';

/** What we need to know of a repository. Its whole record fits. */
export type GitRepository = Pick<Repository, 'url'> &
  Partial<Pick<Repository, 'credentials' | 'insecure' | 'proxy' | 'noProxy' | 'depth'>>;

/** Which places may be fetched from. `local` lists the folders below which local repositories may lie. */
export type Reach = Egress & { readonly local: 'any' | readonly string[] };

/** How git gets at one repository. `location` is what it is given on the command line; it holds no secret. */
export type Route = { readonly location: string; readonly access: GitAccess };

/** Checks that the repository may be reached and says how. Throws PermissionDenied, InvalidSpec or Unavailable. */
export async function routeTo(repository: GitRepository, reach: Reach): Promise<Route> {
  const remote = parseRemote(repository.url);
  return remote.kind === 'local' ? localRoute(remote, reach) : httpRoute(remote, repository, reach);
}

async function localRoute(remote: Remote & { kind: 'local' }, reach: Reach): Promise<Route> {
  const location = await realPath(remote);
  if (reach.local !== 'any' && !(await liesBelow(location, reach.local))) {
    throw new FairleadError(
      'PermissionDenied',
      `repository ${remote.shown} is a folder of this machine, and such repositories are not allowed here: use its https URL`,
    );
  }
  return { location, access: { protocols: ['file'], config: [], env: {} } };
}

async function realPath({ path, shown }: Remote & { kind: 'local' }): Promise<string> {
  for (const candidate of [path, `${path}.git`]) {
    try {
      return await realpath(candidate);
    } catch {}
  }
  throw new FairleadError('NotFound', `there is no repository at ${shown}: check repoURL`);
}

async function liesBelow(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const from = await realpath(root).catch(() => undefined);
    const way = from === undefined ? undefined : relative(from, path);
    if (way !== undefined && !isAbsolute(way) && way.split('/')[0] !== '..') return true;
  }
  return false;
}

async function httpRoute(
  { url, login }: Remote & { kind: 'http' },
  repository: GitRepository,
  reach: Reach,
): Promise<Route> {
  const { proxy, noProxy, insecure, credentials = {} } = repository;
  refuseUnsupported(credentials, url);
  const header = authorization(credentials, login);
  const config: (readonly [string, string])[] = [];
  // scoped to the host, so that nothing is sent anywhere else
  if (header) config.push([`http.${url.origin}/.extraHeader`, `Authorization: ${header}`]);
  if (insecure) config.push([`http.${url.origin}/.sslVerify`, 'false']);
  if (proxy) config.push(['http.proxy', proxy]);
  else config.push(...pin(url, await checkedAddresses(url.hostname, reach)));
  return {
    location: url.href,
    access: {
      protocols: ['http', 'https'],
      config,
      env: proxy && noProxy ? { no_proxy: noProxy } : {},
    },
  };
}

/** The connection goes to the addresses that were checked, whatever the name answers next. */
function pin(url: URL, addresses: readonly string[]): [string, string][] {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return [];
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const bracketed = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
  return [['http.curloptResolve', `${host}:${port}:${bracketed.join(',')}`]];
}

function refuseUnsupported(credentials: RepositoryCredentials, url: URL): void {
  const unsupported = [
    ['GitHub App credentials', credentials.githubAppPrivateKey],
    ['Google Cloud credentials', credentials.gcpServiceAccountKey],
    ['Azure credentials', credentials.useAzureWorkloadIdentity || credentials.azureServicePrincipalClientId],
    ['TLS client certificates', credentials.tlsClientCertData || credentials.tlsClientCertKey],
  ].find(([, value]) => value);
  if (!unsupported || credentials.password || credentials.bearerToken) return; // compat CRED-5: these come first
  throw new FairleadError(
    'InvalidSpec',
    `not supported yet: ${unsupported[0]} for repository ${url.href}; give it a username and password, or a bearer token`,
  );
}

function authorization(credentials: RepositoryCredentials, login: Login | undefined): string | undefined {
  const { username, password, bearerToken } = credentials;
  if (bearerToken) return `Bearer ${oneLine(bearerToken)}`;
  if (username || password) return basic(username || 'x-access-token', password ?? ''); // compat CRED-6
  return login ? basic(login.username || 'x-access-token', login.password) : undefined;
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** A secret copied with its line break must not begin a second header. */
const oneLine = (secret: string): string => secret.replace(/[\r\n]+/g, '');
