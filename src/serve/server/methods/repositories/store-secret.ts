import { isManagedSecret, type KubeObject, label } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { Action } from '#engine';
import { refOf } from '#kubernetes/client';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { RepositoryDeps } from './repository-deps.ts';

type Storing = {
  readonly secret: KubeObject;
  readonly isNew: boolean;
  /** It describes what is stored already. */
  readonly isSame: boolean;
  rights(action: string): Action;
  /** The noun in the error. */
  readonly what: string;
};

/** compat server §2.8: the same again is accepted; other settings need `upsert` and the right to update. */
export function requireStorable(
  { query, permissions }: Pick<MethodCall, 'query' | 'permissions'>,
  { isNew, isSame, rights, what }: Storing,
): void {
  if (isNew) return;
  if (!permissions.may(rights('get'))) throw hidden();
  if (isSame) return;
  if (query.get('upsert') !== 'true')
    throw new FairleadError(
      'InvalidSpec',
      `existing ${what} spec is different, use upsert flag to force update`,
    );
  permissions.require(rights('update'));
}

/** Stores what the caller may store. */
export async function store(
  ctx: Ctx,
  { kube }: Pick<RepositoryDeps, 'kube'>,
  call: MethodCall,
  storing: Storing,
): Promise<void> {
  requireStorable(call, storing);
  const { secret, isNew, isSame } = storing;
  if (isNew) await kube.create(ctx, secret);
  else if (!isSame) await kube.update(ctx, secret);
}

/** compat server §1.6: a Secret that users wrote stays, without the label that gives it its meaning. */
export async function removeSecret(
  ctx: Ctx,
  { kube }: Pick<RepositoryDeps, 'kube'>,
  secret: KubeObject,
): Promise<void> {
  const ref = refOf(secret);
  if (isManagedSecret(secret)) await kube.delete(ctx, ref);
  else
    await kube.patch(ctx, ref, {
      type: 'merge',
      body: { metadata: { labels: { [label.secretType]: null } } },
    });
}
