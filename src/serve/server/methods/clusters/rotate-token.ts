import { clusterFrom, decodeBase64Text, type KubeObject, type RegisteredCluster } from '#base/model';
import { type Ctx, FairleadError, isObject, parseJson } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { MethodCall } from '../../rest/request.ts';
import { type ClusterDeps, requireConnection } from './cluster-deps.ts';
import { clusterSecret, secretOf } from './cluster-secret.ts';
import { store } from './clusters.ts';
import { findCluster } from './find-cluster.ts';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
/** How often, and how many times, the token controller of the cluster is given time to issue a token. */
const pauseMs = 500;
const attempts = 60;

/**
 * compat server §2.8: a cluster that is managed with the token of a service account gets a new token. The old one is deleted
 * only when the new one is stored and the cluster accepts it: a failure at any point leaves one that works.
 */
export async function rotate(ctx: Ctx, deps: ClusterDeps, call: MethodCall): Promise<Record<string, never>> {
  const { record } = findCluster(deps, call, 'update');
  const before = secretOf(deps.clusters.secrets(), record.server);
  const account = accountOf(record);
  if (!before || !account)
    throw invalid(
      `cannot rotate the credentials of cluster ${record.name}: it is not managed with the token of a service account that has a Secret`,
    );
  const { made, token } = await deps.withCluster(clusterFrom(before), (kube) => issue(ctx, kube, account));
  const input = {
    ...record,
    namespaces: [...record.namespaces],
    config: { ...record.config, bearerToken: token },
  };
  const secret = clusterSecret(input, deps.context.namespace, before);
  await requireConnection(ctx, deps, clusterFrom(secret));
  await store(ctx, deps, secret, true);
  const { namespace, secretName: name } = account;
  const old = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  if (name && name !== made.metadata.name)
    await deps.withCluster(clusterFrom(secret), (kube) => kube.delete(ctx, old));
  ctx.log.info('cluster token rotated', { cluster: record.name, user: call.user?.username });
  return {};
}

type TokenAccount = { readonly namespace: string; readonly name: string; readonly secretName: string };

/** The service account that a token is for; the cluster checks the token, so it is only read here. */
function accountOf({ config }: RegisteredCluster): TokenAccount | undefined {
  const claims = claimsIn(config.bearerToken ?? '');
  const text = (name: string): string => String(claims[`kubernetes.io/serviceaccount/${name}`] ?? '');
  const [namespace, name, secretName] = [
    text('namespace'),
    text('service-account.name'),
    text('secret.name'),
  ];
  return namespace && name ? { namespace, name, secretName } : undefined;
}

function claimsIn(token: string): Readonly<Record<string, unknown>> {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims = parseJson(decodeBase64Text(part.padEnd(Math.ceil(part.length / 4) * 4, '=')));
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

type TokenSecret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

async function issue(
  ctx: Ctx,
  kube: KubeClient,
  { namespace, name }: TokenAccount,
): Promise<{ made: KubeObject; token: string }> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: '',
      generateName: `${name}-token-`,
      namespace,
      annotations: { 'kubernetes.io/service-account.name': name },
    },
    type: 'kubernetes.io/service-account-token',
  } as KubeObject;
  const made = await kube.create(ctx, secret);
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: made.metadata.name };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { token } = ((await kube.get(ctx, ref)) as TokenSecret).data ?? {};
    if (token) return { made, token: decodeBase64Text(token) };
    await ctx.clock.sleep(pauseMs, ctx.signal);
  }
  await kube.delete(ctx, ref);
  throw invalid(`the cluster issued no token for service account ${namespace}/${name}`);
}
