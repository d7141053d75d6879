import type { Settings } from '#base/model';

/** What an operator says on the command line or in the environment; each wins over its setting. */
export type ListenerFlags = {
  /** Speak TLS on a loopback address too. */
  readonly tls?: boolean | undefined;
  /** Speak plain HTTP on any address: TLS ends in front of us. */
  readonly insecure?: boolean | undefined;
  readonly rootPath?: string | undefined;
  readonly baseHref?: string | undefined;
  readonly minVersion?: Settings['server']['tls']['minVersion'] | undefined;
  readonly maxVersion?: Settings['server']['tls']['maxVersion'] | undefined;
  readonly cipherSuites?: readonly string[] | undefined;
  readonly frameOptions?: string | undefined;
};

/** How the port is served now. */
export type ListenerOptions = {
  readonly isTls: boolean;
  /** Everything is served below this path: empty, or `/argo-cd`. */
  readonly rootPath: string;
  /** The path at which a browser sees us: `/`, or `/argo-cd/`. */
  readonly basePath: string;
  /** compat server §4.2: without a final slash. */
  readonly cookiePath: string;
  readonly frameOptions: string;
  readonly tls: Settings['server']['tls'];
};

type Known = {
  readonly flags: ListenerFlags;
  readonly isLoopback: boolean;
  readonly server: Pick<Settings['server'], 'insecure' | 'rootPath' | 'baseHref' | 'tls' | 'frameOptions'>;
};

/** compat server §2.1, with one difference: on a loopback address TLS is spoken only where a flag demands it. */
export function listenerOptionsOf({ flags, isLoopback, server }: Known): ListenerOptions {
  const root = segments(flags.rootPath ?? server.rootPath);
  // as in the peer, a root path is the base path too
  const base = root || segments(flags.baseHref ?? server.baseHref);
  const isInsecure = flags.insecure ?? server.insecure;
  return {
    isTls: !isInsecure && (flags.tls === true || !isLoopback),
    rootPath: root && `/${root}`,
    basePath: base ? `/${base}/` : '/',
    cookiePath: `/${base}`,
    frameOptions: flags.frameOptions ?? server.frameOptions,
    tls: {
      minVersion: flags.minVersion ?? server.tls.minVersion,
      maxVersion: flags.maxVersion ?? server.tls.maxVersion,
      cipherSuites: flags.cipherSuites ?? server.tls.cipherSuites,
    },
  };
}

/** The path without slashes at its ends; what could end an attribute of the page or a cookie is left out. */
const segments = (path: string): string =>
  path
    .split('/')
    .map((part) => part.replace(/[^\w.~-]/g, ''))
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
