import type { ApplicationSet } from '#base/model';
import { type Ctx, equal } from '#base/std';
import { type KubeClient, refOf } from '#kubernetes/client';
import { applyMergePatch } from '#kubernetes/patch';

type SetPatch = { readonly metadata?: object; readonly status?: object };
type Client = Pick<KubeClient, 'patch' | 'resource' | 'invalidate'>;

/**
 * Patches metadata and status of a set. In Argo CD's definition the status is a subresource, which a write to the object leaves
 * as it was; in ours it is not: discovery says which. A definition that was exchanged since discovery was read is noticed.
 */
export async function patchSet(
  ctx: Ctx,
  kube: Client,
  set: ApplicationSet,
  body: SetPatch,
): Promise<ApplicationSet> {
  const { status, metadata } = body;
  if (status === undefined) return patched(ctx, kube, set, body);
  const { subresources } = await kube.resource(ctx, set);
  if (subresources.includes('status')) {
    if (metadata) await patched(ctx, kube, set, { metadata });
    return patchStatus(ctx, kube, set, status);
  }
  const written = await patched(ctx, kube, set, body);
  if (isIn(written.status ?? {}, status)) return written;
  kube.invalidate();
  return patchStatus(ctx, kube, set, status);
}

const patched = async (ctx: Ctx, kube: Client, set: ApplicationSet, body: SetPatch) =>
  (await kube.patch(ctx, refOf(set), { type: 'merge', body })) as ApplicationSet;

const patchStatus = async (ctx: Ctx, kube: Client, set: ApplicationSet, status: object) =>
  (await kube.patch(
    ctx,
    { ...refOf(set), subresource: 'status' },
    { type: 'merge', body: { status } },
  )) as ApplicationSet;

const isIn = (status: object, patch: object): boolean => equal(applyMergePatch(status, patch), status);
