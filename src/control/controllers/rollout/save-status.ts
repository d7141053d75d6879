import type { KubeObject } from '#base/model';
import { type Ctx, equal } from '#base/std';
import type { Informer } from '#control/live';
import { hasReason, type KubeClient, refOf } from '#kubernetes/client';
import { createMergePatch } from '#kubernetes/patch';
import { fieldManager } from './execute-plan.ts';

/**
 * compat rollouts RC-1: the status of an AnalysisRun or an Experiment is written by a merge patch on the object itself; false:
 * the object changed meanwhile, and the status is to be computed again.
 */
export async function saveStatus<T extends KubeObject>(
  ctx: Ctx,
  { kube, informer }: { readonly kube: KubeClient; readonly informer: Informer<T> },
  object: T,
  status: object,
): Promise<boolean> {
  if (equal(status, object.status)) return true;
  const { resourceVersion } = object.metadata;
  const change = createMergePatch({ status: object.status ?? {} }, { status }) as object;
  const body = { ...change, metadata: { resourceVersion } };
  try {
    informer.put((await kube.patch(ctx, refOf(object), { type: 'merge', body }, { fieldManager })) as T);
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return true;
    if (hasReason(error, 'Conflict')) return false;
    throw error;
  }
}
