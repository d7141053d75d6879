import type { ApplicationSet } from '#base/model';
import { type Ctx, equal } from '#base/std';
import { type KubeClient, refOf } from '#kubernetes/client';
import { applyMergePatch } from '#kubernetes/patch';

type SetPatch = { readonly metadata?: object; readonly status?: object };

/**
 * Patches metadata and status of a set. In Argo CD's definition the status is a subresource, which a write to the object leaves
 * as it was; in ours it is not. What the first write did not change is written to the subresource.
 */
export async function patchSet(
  ctx: Ctx,
  kube: Pick<KubeClient, 'patch'>,
  set: ApplicationSet,
  body: SetPatch,
): Promise<ApplicationSet> {
  const ref = refOf(set);
  const written = (await kube.patch(ctx, ref, { type: 'merge', body })) as ApplicationSet;
  const { status } = body;
  if (status === undefined || isIn(written.status ?? {}, status)) return written;
  const at = { ...ref, subresource: 'status' };
  return (await kube.patch(ctx, at, { type: 'merge', body: { status } })) as ApplicationSet;
}

const isIn = (status: object, patch: object): boolean => equal(applyMergePatch(status, patch), status);
