import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { FairleadError, Lru } from '#base/std';
import { type ClientCertificate, certificatesIn, type SystemTrust } from './trust.ts';

/** Where machines store the authorities they trust; the first that exists is used, as by programs in Go. */
const usual = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** The TLS context, and an id that changes with the trusted authorities. */
export type MachineTrust = { readonly context: SecureContext; readonly version: string };

type TrustFile = { readonly path: string; readonly isFolder: boolean; readonly changed: number };

/** Parsing a machine's list takes some 40 ms and a megabyte, using a parsed one takes neither. */
const contexts = new Lru<Promise<SecureContext>>({ capacity: 16 });

/**
 * Trusts the machine's authorities, as git does; where it has no list, those of Node; and `authorities` (PEM) beside
 * them. A changed list is read again. Throws InvalidSpec when the file that the environment names is unusable.
 */
export async function machineTrust(
  machine: SystemTrust = {},
  certificate?: ClientCertificate,
  authorities = '',
): Promise<MachineTrust> {
  const places = await placesOf(machine);
  const version = createHash('sha256')
    .update(JSON.stringify([places, certificate, authorities]))
    .digest('hex');
  const context =
    contexts.get(version) ??
    contextOf(places, { certificate, authorities, isNamed: machine.file !== undefined });
  contexts.set(version, context);
  return { version, context: await context };
}

type Beside = {
  readonly certificate: ClientCertificate | undefined;
  readonly authorities: string;
  readonly isNamed: boolean;
};

async function contextOf(
  places: readonly TrustFile[],
  { certificate, authorities, isNamed }: Beside,
): Promise<SecureContext> {
  const [list = [], ...more] = (await Promise.all(places.map(textOf))).map(certificatesIn);
  if (isNamed && list.length === 0) throw useless();
  const machine = [list, ...more].flat();
  const added = certificatesIn(authorities);
  const ca = added.length === 0 ? machine : [...(machine.length > 0 ? machine : rootCertificates), ...added];
  return createSecureContext({ ...(ca.length > 0 && { ca: ca.join('\n') }), ...certificate });
}

/** A configured list must be used: falling back to others would trust too many. */
const useless = (): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    'the file that SSL_CERT_FILE names is not there, or holds no certificate: name one with the authorities to believe, or none',
  );

async function placesOf({ file, folder, extra }: SystemTrust): Promise<TrustFile[]> {
  const list = file === undefined ? await firstOf(usual) : await placeAt(file);
  if (file !== undefined && list === undefined) throw useless();
  const folders = await Promise.all(folder?.split(':').filter(Boolean).map(placeAt) ?? []);
  const lists = [list, ...folders].filter((place) => place !== undefined);
  // Node adds it to its own list by itself
  const more = lists.length > 0 && extra ? await placeAt(extra) : undefined;
  return more ? [...lists, more] : lists;
}

async function firstOf(paths: readonly string[]): Promise<TrustFile | undefined> {
  for (const path of paths) {
    const place = await placeAt(path);
    if (place) return place;
  }
  return undefined;
}

async function placeAt(path: string): Promise<TrustFile | undefined> {
  try {
    const found = await stat(path);
    return { path, isFolder: found.isDirectory(), changed: found.mtimeMs };
  } catch {
    return undefined;
  }
}

async function textOf({ path, isFolder }: TrustFile): Promise<string> {
  const names = isFolder ? await readdir(path) : [];
  const files = isFolder ? names.map((name) => join(path, name)) : [path];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('\n');
}
