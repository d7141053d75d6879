import { argoApiVersion, groupOf, type KubeObject } from '#base/model';
import { glob } from '#engine';
import { hasReason } from '#kubernetes/client';
import type { OnCluster } from '../../session/kube.ts';

export type BackupScope = {
  readonly namespace: string;
  readonly applicationNamespaces: readonly string[];
  readonly setNamespaces: readonly string[];
  /** Only what Argo CD's own export has. */
  readonly isUpstream: boolean;
};

const configMaps = ['argocd-cm', 'argocd-rbac-cm', 'argocd-ssh-known-hosts-cm', 'argocd-tls-certs-cm'];
/** dev server §8.6: without them a restored control plane sends no notification and checks no signature. */
const moreConfigMaps = ['argocd-cmd-params-cm', 'argocd-notifications-cm', 'argocd-gpg-keys-cm'];
const secretTypes = [
  'cluster',
  'repository',
  'repo-creds',
  'repository-write',
  'repo-write-creds',
  'scm-creds',
];

/** Every object of a backup, as it is in the cluster, in the order in which it is restored. */
export async function backupObjects(on: OnCluster, scope: BackupScope): Promise<KubeObject[]> {
  const { namespace, isUpstream } = scope;
  const named = async (kind: string, names: readonly string[]): Promise<KubeObject[]> => {
    const found = await Promise.all(
      names.map((name) => on.kube.find(on.ctx, { apiVersion: 'v1', kind, namespace, name })),
    );
    return found.filter((one) => one !== undefined);
  };
  const labelSelector = `argocd.argoproj.io/secret-type in (${secretTypes.join(',')})`;
  const secrets = await on.kube.list(
    on.ctx,
    { apiVersion: 'v1', kind: 'Secret', namespace },
    { labelSelector },
  );
  return [
    ...(await named('ConfigMap', isUpstream ? configMaps : [...configMaps, ...moreConfigMaps])),
    ...(await named(
      'Secret',
      isUpstream ? ['argocd-secret'] : ['argocd-secret', 'argocd-notifications-secret'],
    )),
    ...secrets.items,
    ...(await inNamespaces(on, 'AppProject', namespace, [])),
    ...(await inNamespaces(on, 'Application', namespace, scope.applicationNamespaces)),
    ...(await inNamespaces(on, 'ApplicationSet', namespace, scope.setNamespaces)),
  ];
}

/** The objects of our kinds in the control plane's namespace and in those that the patterns match. */
async function inNamespaces(
  { ctx, kube }: OnCluster,
  kind: string,
  own: string,
  patterns: readonly string[],
): Promise<readonly KubeObject[]> {
  const from = { apiVersion: argoApiVersion, kind };
  const { items } = await kube
    .list(ctx, patterns.length > 0 ? from : { ...from, namespace: own })
    .catch((error: unknown) => {
      if (hasReason(error, 'NoMatch')) return { items: [] as KubeObject[] };
      throw error;
    });
  return items.filter(
    ({ metadata: { namespace = '' } }) => namespace === own || patterns.some((one) => glob(one, namespace)),
  );
}

/** compat server §8.6: without what the cluster itself writes; the namespace only where it is another one. */
export function exported(object: KubeObject, own: string): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = object.metadata;
  const metadata = {
    name,
    ...(namespace && namespace !== own && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers?.length && { finalizers }),
  };
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, ...rest, metadata };
}

/** The identity of an object, whether or not it names the namespace of the control plane. */
export const keyIn = (object: KubeObject, own: string): string =>
  `${groupOf(object)}/${object.kind}/${object.metadata.namespace ?? own}/${object.metadata.name}`;

/** `argoproj.io/Application guestbook`, as the lines of an import name objects. */
export const labelOf = (object: KubeObject, own: string): string => {
  const { namespace = own, name } = object.metadata;
  return `${groupOf(object)}/${object.kind} ${namespace === own ? name : `${namespace}/${name}`}`;
};
