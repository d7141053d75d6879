import {
  credentialTemplateFrom,
  type KubeObject,
  label,
  type Repository,
  type RepositoryAccess,
  type RepositorySecretType,
  repositoryFrom,
} from '#base/model';
import type { Ctx } from '#base/std';
import type { KubeClient } from '#kubernetes/client';

/** A stored repository or credential template with the Secret that describes it. */
export type StoredSecret<T extends RepositoryAccess> = { readonly secret: KubeObject; readonly record: T };

type Reading = { readonly kube: Pick<KubeClient, 'list'>; readonly namespace: string };

/** Read from the cluster and not from a watch: a list contains what the caller has just written. */
async function secretsOf(
  ctx: Ctx,
  { kube, namespace }: Reading,
  type: RepositorySecretType,
): Promise<readonly KubeObject[]> {
  const from = { apiVersion: 'v1', kind: 'Secret', namespace };
  const { items } = await kube.list(ctx, from, { labelSelector: `${label.secretType}=${type}` });
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

export async function storedRepositories(
  ctx: Ctx,
  reading: Reading,
  type: 'repository' | 'repository-write',
): Promise<readonly StoredSecret<Repository>[]> {
  const secrets = await secretsOf(ctx, reading, type);
  return secrets.map((secret) => ({ secret, record: repositoryFrom(secret) }));
}

export async function storedTemplates(
  ctx: Ctx,
  reading: Reading,
  type: 'repo-creds' | 'repo-write-creds',
): Promise<readonly StoredSecret<RepositoryAccess>[]> {
  const secrets = await secretsOf(ctx, reading, type);
  return secrets.map((secret) => ({ secret, record: credentialTemplateFrom(secret) }));
}
