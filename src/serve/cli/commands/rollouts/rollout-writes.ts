import { annotation, type KubeObject, printTime } from '#base/model';
import type { Rollout, VerbPatch } from '#engine/rollouts';
import { hasReason, type ObjectRef } from '#kubernetes/client';
import type { Io } from '../../io.ts';
import type { OnCluster } from '../../session/kube.ts';

const argo = 'argoproj.io/v1alpha1';
export const fieldManager = 'fairlead-cli';
/** compat rollouts §8: how often a template is written when the object changes meanwhile. */
const tries = 5;

/** compat rollouts §8: the writes of one verb, in their order. */
export async function patchRollout(
  { ctx, kube }: OnCluster,
  { metadata }: Rollout,
  patches: readonly VerbPatch[],
): Promise<void> {
  const { name, namespace } = metadata;
  for (const { isStatus, body } of patches) {
    const ref = {
      apiVersion: argo,
      kind: 'Rollout',
      namespace,
      name,
      ...(isStatus && { subresource: 'status' }),
    };
    await kube.patch(ctx, ref, { type: 'merge', body }, { fieldManager });
  }
}

/** compat rollouts §8: replaces the whole template, on the version that it was computed from; computes it again after a conflict. */
export async function replaceTemplate<T extends KubeObject>(
  { ctx, kube }: OnCluster,
  ref: ObjectRef,
  templateFor: (object: T) => object | Promise<object>,
): Promise<void> {
  for (let left = tries; ; left -= 1) {
    const object = (await kube.get(ctx, ref)) as T;
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
      { op: 'replace', path: '/spec/template', value: await templateFor(object) },
    ];
    try {
      await kube.patch(ctx, ref, { type: 'json', body }, { fieldManager });
      return;
    } catch (error) {
      if (!hasReason(error, 'Conflict') || left === 1) throw error;
    }
  }
}

/** The user of the kubeconfig, as the API server knows it. */
export async function userOf({ ctx, kube }: Pick<OnCluster, 'ctx' | 'kube'>): Promise<string> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { name: '' },
  };
  const { status } = await kube.create(ctx, review).catch((): KubeObject => review);
  const { username = 'an unknown user' } = (status as ReviewStatus | undefined)?.userInfo ?? {};
  return username;
}

/** compat rollouts RW-13: an event with the verb and the user. Users who may not write events use the verbs all the same. */
export async function recordVerb({ ctx, kube }: OnCluster, subject: KubeObject, verb: string): Promise<void> {
  const { apiVersion, kind, metadata } = subject;
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  const now = printTime(ctx.clock.now());
  try {
    const username = await userOf({ ctx, kube });
    await kube.create(ctx, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { generateName: `${name.slice(0, 230)}.`, namespace } as KubeObject['metadata'],
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
      ...{ type: 'Normal', reason: 'RolloutVerb', message: `${username} ran ${verb} by the command line` },
      ...{ source: { component: fieldManager }, firstTimestamp: now, lastTimestamp: now, count: 1 },
    } as KubeObject);
  } catch {
    // the verb is done, with or without its event
  }
}

type ReviewStatus = { userInfo?: { username?: string } };

/** compat rollouts RW-13: a template that Git declares comes back with the next self-heal. */
export function warnOfSelfHeal({ err }: Pick<Io, 'err'>, { kind, metadata }: KubeObject): void {
  const [application = ''] = (metadata.annotations?.[annotation.trackingId] ?? '').split(':');
  if (application === '') return;
  err(
    `warning: the application ${application} manages ${kind} ${metadata.name}: self-heal reverts this change; commit it to Git to keep it\n`,
  );
}
