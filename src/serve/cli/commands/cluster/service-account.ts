import { decodeBase64Text, type KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { hasReason } from '#kubernetes/client';
import type { OnCluster } from '../../session/kube.ts';

export type AccountWish = {
  readonly namespace: string;
  readonly name: string;
  /** Only these; empty: the whole cluster. */
  readonly namespaces: readonly string[];
};

const fieldManager = 'fairlead-cluster-add';
const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const rules = [...everything, { nonResourceURLs: ['*'], verbs: ['*'] }];

/** compat server §8.2: a service account with the rights that a control plane needs, in the whole cluster or in namespaces only. */
export async function installAccount(
  { ctx, kube }: OnCluster,
  wish: AccountWish,
): Promise<readonly string[]> {
  const objects = accountObjects(wish);
  for (const object of objects) await kube.apply(ctx, object, { fieldManager, force: true });
  return objects.map(({ kind, metadata: { name, namespace } }) =>
    namespace ? `${kind} "${name}" in namespace "${namespace}"` : `${kind} "${name}"`,
  );
}

function accountObjects({ namespace, name, namespaces }: AccountWish): KubeObject[] {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const role = `${name}-role`;
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const bound = (kind: string, at: { namespace?: string }) => [
    { apiVersion, kind, metadata: { name: role, ...at }, rules: at.namespace ? everything : rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: { name: `${role}-binding`, ...at },
      roleRef: { apiGroup, kind, name: role },
      subjects,
    },
  ];
  const grants =
    namespaces.length === 0
      ? bound('ClusterRole', {})
      : namespaces.flatMap((one) => bound('Role', { namespace: one }));
  return [account, ...grants] as KubeObject[];
}

/** How often, and how many times, the cluster is given time to issue a token. */
const pauseMs = 250;
const attempts = 120;

type TokenSecret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** A token of the account that does not expire, kept in a Secret beside it. */
export async function tokenFor({ ctx, kube }: OnCluster, { namespace, name }: AccountWish): Promise<string> {
  const secretName = `${name}-long-lived-token`;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
    metadata: { name: secretName, namespace, annotations: { 'kubernetes.io/service-account.name': name } },
  } as KubeObject;
  await kube.create(ctx, secret).catch((error: unknown) => {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  });
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { token } = ((await kube.get(ctx, ref)) as TokenSecret).data ?? {};
    if (token) return decodeBase64Text(token);
    await ctx.clock.sleep(pauseMs, ctx.signal);
  }
  throw new FairleadError(
    'Unavailable',
    `the cluster issued no token for service account ${namespace}/${name}`,
  );
}
