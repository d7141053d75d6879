import { rename, writeFile } from 'node:fs/promises';
import { encodeBase64Text } from '#base/model';
import type { Certificates } from './certificates.ts';

type Cluster = {
  readonly url: string;
  readonly certificates: Certificates;
  /** The namespace of a second context, `argocd`, for programs that read theirs from there. */
  readonly namespace?: string | undefined;
};

/** Writes a kubeconfig (JSON, which is YAML) with the credentials of the cluster's administrator; mode 0600. */
export async function writeKubeconfig(path: string, cluster: Cluster): Promise<void> {
  const { url, namespace } = cluster;
  const { authority, admin } = cluster.certificates;
  const name = 'fairlead';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': encodeBase64Text(authority) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': encodeBase64Text(admin.certificate),
          'client-key-data': encodeBase64Text(admin.key),
        },
      },
    ],
    contexts: [
      { name, context: { cluster: name, user: name } },
      ...(namespace ? [{ name: 'argocd', context: { cluster: name, user: name, namespace } }] : []),
    ],
    preferences: {},
  };
  await writeFile(`${path}.new`, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
