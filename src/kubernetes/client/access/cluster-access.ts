import { FairleadError } from '#base/std';

/** PEM text, given outright or in a file that may be replaced while we run. */
export type Pem = { readonly pem: string } | { readonly file: string };

/** A program that prints credentials (client.authentication.k8s.io). */
export type ExecPlugin = {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  /**
   * Present when the plugin requires the cluster's data (provideClusterInfo), with the configuration for it.
   */
  readonly clusterInfo?: { readonly config?: unknown };
};

export type UserAccess = {
  readonly certificate?: Pem;
  readonly key?: Pem;
  readonly token?: string;
  /** Read again every minute; wins over `token` as long as it can be read. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecPlugin;
  readonly impersonate?: {
    readonly user: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
};

/**
 * The address of a cluster and our credentials for it. It holds secrets: never log it, never put it in an
 * error.
 */
export type ClusterAccess = {
  readonly server: string;
  readonly namespace: string;
  readonly tls: { readonly ca?: Pem; readonly serverName?: string; readonly insecure?: boolean };
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly user: UserAccess;
};

/** Throws InvalidSpec for access that contradicts itself, before anything is sent anywhere. */
export function checkAccess(access: ClusterAccess): ClusterAccess {
  const { tls, user } = access;
  serverUrl(access);
  if (access.proxyUrl) proxyUrl(access.proxyUrl);
  if (tls.insecure && tls.ca) {
    throw invalid(
      'a certificate authority and insecure-skip-tls-verify exclude each other: remove one of them',
    );
  }
  if (Boolean(user.certificate) !== Boolean(user.key) && !user.exec) {
    throw invalid('a client certificate and its key belong together: one of them is missing');
  }
  if ((user.token || user.tokenFile) && user.username) {
    throw invalid('a bearer token and a user name exclude each other: remove one of them');
  }
  return access;
}

/** The server's address; credentials written into it are refused, because addresses are shown to people. */
export function serverUrl({ server }: Pick<ClusterAccess, 'server'>): URL {
  const url = parsed(server, 'the server of a cluster');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid('the server of a cluster must be an http or https URL');
  }
  if (url.username || url.password)
    throw invalid('the server of a cluster must not hold a user name or a password');
  return url;
}

export function proxyUrl(text: string): URL {
  const url = parsed(text, 'proxy-url');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid(
      `proxy-url must be an http or https URL: ${url.protocol.slice(0, -1)} proxies are not supported`,
    );
  }
  return url;
}

function parsed(text: string, what: string): URL {
  try {
    return new URL(text);
  } catch {
    throw invalid(`${what} is not a URL`); // not quoted: it may hold a password
  }
}

function invalid(message: string): FairleadError {
  return new FairleadError('InvalidSpec', message);
}
