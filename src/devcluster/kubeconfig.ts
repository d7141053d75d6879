import { rename, writeFile } from 'node:fs/promises';
import type { Certificates } from './certificates.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Writes a kubeconfig (JSON, which is YAML) that makes its reader the cluster's administrator; mode 0600. */
export async function writeKubeconfig(path: string, url: string, certificates: Certificates): Promise<void> {
  const { authority, admin } = certificates;
  const name = 'fairlead';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name,
        user: { 'client-certificate-data': base64(admin.certificate), 'client-key-data': base64(admin.key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    preferences: {},
  };
  await writeFile(`${path}.new`, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
