import { webcrypto } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** PEM texts of a certificate and the key that belongs to it. */
type Pair = { readonly certificate: string; readonly key: string };

/** What an HTTPS server and its one administrator need, all issued by the cluster's own authority. */
export type Certificates = { readonly authority: string; readonly server: Pair; readonly admin: Pair };

const names = ['ca', 'server', 'admin'] as const;
const year = 365 * 24 * 3600 * 1000;

/**
 * The certificates kept in `dir`, made on first use and again when the server's is about to expire. Private keys
 * are readable by their owner alone.
 */
export async function certificatesIn(
  dir: string,
  hosts: readonly string[],
  now: Date,
): Promise<Certificates> {
  const kept = await load(dir, hosts, now);
  if (kept) return kept;
  const made = await issue(hosts, now);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of names) {
    await put(join(dir, `${name}.crt`), made[name].certificate);
    await put(join(dir, `${name}.key`), made[name].key);
  }
  await put(join(dir, 'issued.json'), JSON.stringify({ hosts, until: now.getTime() + 9 * year }));
  return { authority: made.ca.certificate, server: made.server, admin: made.admin };
}

async function load(dir: string, hosts: readonly string[], now: Date): Promise<Certificates | undefined> {
  try {
    const read = (name: string) => readFile(join(dir, name), 'utf8');
    const issued = JSON.parse(await read('issued.json')) as { hosts: string[]; until: number };
    if (issued.until < now.getTime() || hosts.some((host) => !issued.hosts.includes(host))) return undefined;
    const pair = async (name: string) => ({
      certificate: await read(`${name}.crt`),
      key: await read(`${name}.key`),
    });
    return { authority: await read('ca.crt'), server: await pair('server'), admin: await pair('admin') };
  } catch {
    return undefined; // not there, or not whole: a new set replaces it
  }
}

async function put(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

type Made = Readonly<Record<(typeof names)[number], Pair>>;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

async function issue(hosts: readonly string[], now: Date): Promise<Made> {
  await import('reflect-metadata'); // the library below refuses to load without it
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const keys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const dates = {
    notBefore: new Date(now.getTime() - 3600_000),
    notAfter: new Date(now.getTime() + 10 * year),
  };
  const caKeys = await keys();
  const caName = 'CN=fairlead embedded cluster';
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: serial(),
    name: caName,
    signingAlgorithm: algorithm,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  const leaf = async (
    subject: string,
    extensions: ConstructorParameters<typeof x509.Extension>[] | object[],
  ) => {
    const own = await keys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...dates,
      serialNumber: serial(),
      subject,
      issuer: caName,
      signingAlgorithm: algorithm,
      signingKey: caKeys.privateKey,
      publicKey: own.publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        ...(extensions as InstanceType<typeof x509.Extension>[]),
      ],
    });
    return { certificate: certificate.toString('pem'), key: await keyPem(own.privateKey) };
  };
  const usage = x509.ExtendedKeyUsage;
  const alternatives = hosts.map((value) => ({
    type: isAddress(value) ? ('ip' as const) : ('dns' as const),
    value,
  }));
  return {
    ca: { certificate: ca.toString('pem'), key: await keyPem(caKeys.privateKey) },
    server: await leaf('CN=kube-apiserver', [
      new x509.ExtendedKeyUsageExtension([usage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
    ]),
    admin: await leaf('CN=system:admin,O=system:masters', [
      new x509.ExtendedKeyUsageExtension([usage.clientAuth]),
    ]),
  };
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f; // a serial number is positive
  return Buffer.from(bytes).toString('hex');
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
