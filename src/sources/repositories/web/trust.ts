import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RepositoryCredentials } from '#base/model';
import { FairleadError, Lru } from '#base/std';

/** The environment's settings of the machine's own list of authorities. */
export type SystemTrust = {
  /** SSL_CERT_FILE: the list, instead of the file where machines usually store it. */
  readonly file?: string;
  /** SSL_CERT_DIR: folders with more, separated by colons. */
  readonly folder?: string;
  /** NODE_EXTRA_CA_CERTS: a file with more. */
  readonly extra?: string;
};

/** The authorities and host keys that this installation trusts. */
export type Trust = {
  /** PEM bundles by host, without port. A bundle replaces the machine's own list (sources TLS-1). */
  readonly certificates: Readonly<Record<string, string>>;
  /** The keys of ssh hosts, in OpenSSH's format (sources SSH-1). */
  readonly knownHosts: string;
  /** Left out: the machine's list is in its usual file. */
  readonly machine?: SystemTrust;
};

/** Trusts only the machine's authorities, and no ssh host. */
export const noTrust: Trust = { certificates: {}, knownHosts: '' };

export type ClientCertificate = { readonly cert: string; readonly key: string };

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The authorities for a host; undefined: the machine's own. An entry without a certificate counts as absent, so that a
 * stray key cannot block all connections.
 */
export function authoritiesOf({ certificates }: Trust, host: string): string | undefined {
  const bundle = Object.hasOwn(certificates, host) ? certificates[host] : undefined;
  return bundle === undefined ? undefined : usableOf(bundle);
}

/** Parsing certificates takes longer than listing a host's refs, and they hardly ever change. */
const read = new Lru<{ readonly usable: string | undefined }>({ capacity: 100 });

function usableOf(bundle: string): string | undefined {
  let known = read.get(bundle);
  if (!known) {
    const blocks = certificatesIn(bundle);
    known = { usable: blocks.length === 0 ? undefined : `${blocks.join('\n')}\n` };
    read.set(bundle, known);
  }
  return known.usable;
}

/** The certificates of a bundle; other content is left out. */
export const certificatesIn = (bundle: string): string[] =>
  (bundle.match(pemBlock) ?? []).filter(isCertificate);

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== '';
  } catch {
    return false;
  }
}

/** The client certificate for a server that requires one; undefined: none. Throws Auth when it is unusable. */
export function clientCertificate(
  { tlsClientCertData: cert, tlsClientCertKey: key }: RepositoryCredentials,
  shown: string,
): ClientCertificate | undefined {
  if (!cert && !key) return undefined;
  const problem =
    cert && key ? problemOf(cert, key) : 'tlsClientCertData and tlsClientCertKey belong together';
  if (cert && key && problem === undefined) return { cert: withNewline(cert), key: withNewline(key) };
  // dev sources DEV-5: Argo CD continues without it; we stop, because connecting without it hides the mistake
  throw new FairleadError('Auth', `the TLS client certificate of ${shown} cannot be used: ${problem}`);
}

function problemOf(cert: string, key: string): string | undefined {
  try {
    const fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return fits ? undefined : 'the key is not that of the certificate';
  } catch {
    return 'write both as PEM, the key without a passphrase';
  }
}

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
