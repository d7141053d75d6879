// The keys of a control plane for tests: one authority, one certificate per program, one key for service accounts.
import { createPublicKey, generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata'; // the next one refuses to load without it
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const year = 365 * 24 * 3600_000;
const authorityName = 'CN=fairlead test authority';
const hosts = [
  '127.0.0.1',
  '10.96.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Who speaks to the server, by the name of their files. */
const clients = {
  admin: 'CN=admin,O=system:masters',
  'kube-controller-manager': 'CN=system:kube-controller-manager',
  'kube-scheduler': 'CN=system:kube-scheduler',
  kwok: 'CN=kwok,O=system:masters',
  'front-proxy-client': 'CN=front-proxy-client',
};

/** Writes `pki/` into the folder, and a kubeconfig for each client in it; the administrator's is `kubeconfig`. */
export async function writeCertificates(folder, port) {
  const pki = join(folder, 'pki');
  mkdirSync(pki, { recursive: true, mode: 0o700 });
  const put = (name, text) => writeFileSync(join(pki, name), text, { mode: 0o600 });
  const authority = await issueAuthority();
  put('ca.crt', authority.certificate);
  put('ca.key', authority.key);
  const named = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }));
  const server = await issue(authority, 'CN=kube-apiserver', [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(named),
  ]);
  put('apiserver.crt', server.certificate);
  put('apiserver.key', server.key);
  for (const [name, subject] of Object.entries(clients)) {
    const usage = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]);
    const client = await issue(authority, subject, [usage]);
    put(`${name}.crt`, client.certificate);
    put(`${name}.key`, client.key);
    put(`${name}.kubeconfig`, kubeconfig(port, authority, client));
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  put('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }));
  put('sa.pub', createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
}

const dates = () => ({
  notBefore: new Date(Date.now() - 3600_000),
  notAfter: new Date(Date.now() + 10 * year),
  serialNumber: `01${randomBytes(15).toString('hex')}`,
});

async function issueAuthority() {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { keyCertSign, digitalSignature } = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates(),
    name: authorityName,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(keyCertSign | digitalSignature, true),
    ],
  });
  return { keys, certificate: certificate.toString('pem'), key: await pem(keys.privateKey) };
}

async function issue(authority, subject, extensions) {
  const own = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...dates(),
    subject,
    issuer: authorityName,
    signingAlgorithm: algorithm,
    signingKey: authority.keys.privateKey,
    publicKey: own.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...extensions,
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pem(own.privateKey) };
}

async function pem(key) {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}

function kubeconfig(port, authority, client) {
  const inline = (text) => Buffer.from(text).toString('base64');
  const name = 'test';
  const server = `https://127.0.0.1:${port}`;
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': inline(authority.certificate) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': inline(client.certificate),
          'client-key-data': inline(client.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })}\n`;
}
