import { webcrypto } from 'node:crypto';

type CertificatePair = { readonly certificate: string; readonly key: string };

/** An authority, a server's certificate for the hosts, and a client's, all in PEM. */
export type IssuedCertificates = {
  readonly authority: string;
  readonly server: CertificatePair;
  readonly client: CertificatePair;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Makes a new authority and two certificates of it. */
export async function issueCertificates(hosts: readonly string[]): Promise<IssuedCertificates> {
  await import('reflect-metadata'); // the library below refuses to load without it
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const keys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const issuer = 'CN=test authority';
  const authorityKeys = await keys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: issuer,
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const leaf = async (name: string): Promise<CertificatePair> => {
    const own = await keys();
    const names = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: webcrypto.randomUUID().replaceAll('-', '').slice(0, 16),
      subject: `CN=${name}`,
      issuer,
      signingAlgorithm: algorithm,
      signingKey: authorityKeys.privateKey,
      publicKey: own.publicKey,
      extensions: [new x509.SubjectAlternativeNameExtension(names)],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
    return {
      certificate: certificate.toString('pem'),
      key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n').trim()}\n-----END PRIVATE KEY-----\n`,
    };
  };
  return { authority: authority.toString('pem'), server: await leaf('server'), client: await leaf('client') };
}
