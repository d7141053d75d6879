import { type TlsVersion, tlsVersions } from '#base/model';
import { FairleadError } from '#base/std';
import type { Role } from '#serve/cli';
import type { ListenerFlags } from '#serve/server';
import type { Env } from './choose-cluster.ts';

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** compat server §2.1: the names are Argo CD's, but for `--tls`. */
export const listenerOptions: Role['options'] = [
  { flags: '--tls', description: 'speak TLS on a loopback address too (on any other it is the default)' },
  { flags: '--insecure', description: 'speak plain HTTP on any address: TLS ends at a proxy in front' },
  { flags: '--rootpath <path>', description: 'serve everything below this path' },
  {
    flags: '--basehref <path>',
    description: 'the path at which browsers see the page, where a proxy removes it',
  },
  { flags: '--tlsminversion <version>', description: '1.0, 1.1, 1.2 or 1.3 (default: 1.2)' },
  { flags: '--tlsmaxversion <version>', description: '1.0, 1.1, 1.2 or 1.3 (default: 1.3)' },
  { flags: '--tlsciphers <suites>', description: "Go's names of cipher suites, with colons between" },
  {
    flags: '--x-frame-options <value>',
    description: 'which pages may embed ours; "" for any (default: sameorigin)',
  },
];

/** A flag wins over the variable that Argo CD's manifests set, and that over argocd-cmd-params-cm. */
export function listenerFlagsIn(flags: Flags, env: Env): ListenerFlags {
  const text = (flag: string, name: string): string | undefined => {
    const given = flags[flag];
    return typeof given === 'string' ? given : env[name];
  };
  const insecure = flags.insecure === true ? true : isTrue(env.ARGOCD_SERVER_INSECURE);
  if (insecure && flags.tls === true)
    throw new FairleadError('InvalidSpec', '--tls and --insecure exclude each other: choose one');
  return {
    tls: flags.tls === true || undefined,
    insecure,
    rootPath: text('rootpath', 'ARGOCD_SERVER_ROOTPATH'),
    baseHref: text('basehref', 'ARGOCD_SERVER_BASEHREF'),
    minVersion: versionIn('--tlsminversion', text('tlsminversion', 'ARGOCD_TLS_MIN_VERSION')),
    maxVersion: versionIn('--tlsmaxversion', text('tlsmaxversion', 'ARGOCD_TLS_MAX_VERSION')),
    cipherSuites: text('tlsciphers', 'ARGOCD_TLS_CIPHERS')?.split(':').filter(Boolean),
    frameOptions: text('xFrameOptions', 'ARGOCD_SERVER_X_FRAME_OPTIONS'),
  };
}

/** Undefined when nothing is said. */
function isTrue(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined;
  return /^(1|t|true)$/i.test(text);
}

function versionIn(flag: string, text: string | undefined): TlsVersion | undefined {
  if (!text) return undefined;
  const found = tlsVersions.find((version) => version === text);
  if (found) return found;
  throw new FairleadError('InvalidSpec', `${flag} ${text} is not known: use 1.0, 1.1, 1.2 or 1.3`);
}
