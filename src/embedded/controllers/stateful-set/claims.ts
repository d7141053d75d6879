import { controllerReference, type KubeObject } from '#base/model';
import { claimKind } from '../kinds.ts';
import type { Volume } from '../pod/view.ts';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { change, controllerManager, storedObject } from '../write.ts';
import { recordSetEvent } from './record-event.ts';
import { ordinalOf, type StatefulSet } from './view.ts';

const claimName = (set: StatefulSet, template: string | undefined, ordinal: number): string =>
  `${template}-${set.metadata.name}-${ordinal}`;

/**
 * One claim per template and pod, `<template>-<pod>`. It outlives the pod, and the set unless its retention policy
 * deletes it.
 */
export async function ensureClaims(
  context: SimulationContext,
  set: StatefulSet,
  ordinal: number,
): Promise<Volume[]> {
  const { namespace } = keyOfObject(set);
  const { persistentVolumeClaimRetentionPolicy: policy, selector } = set.spec ?? {};
  const volumes: Volume[] = [];
  for (const { metadata = {}, spec = {} } of set.spec?.volumeClaimTemplates ?? []) {
    const name = claimName(set, metadata.name, ordinal);
    volumes.push({ name: metadata.name ?? '', persistentVolumeClaim: { claimName: name } });
    if (storedObject(context, claimKind, { namespace, name })) continue;
    const labels = { ...metadata.labels, ...selector?.matchLabels };
    const owned = policy?.whenDeleted === 'Delete' && { ownerReferences: [controllerReference(set)] };
    const claim = { ...claimKind, metadata: { ...metadata, name, namespace, labels, ...owned }, spec };
    await context.objects.create(claim, controllerManager);
    const pod = `${set.metadata.name}-${ordinal}`;
    await recordSetEvent(
      context,
      set,
      'SuccessfulCreate',
      `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
    );
  }
  return volumes;
}

/**
 * compat cluster 5.3: where the policy for scaling down is Delete, claims are owned by the pod they were created
 * for.
 */
export async function releaseClaims(
  context: SimulationContext,
  set: StatefulSet,
  pod: KubeObject,
): Promise<void> {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return;
  const { namespace } = keyOfObject(set);
  for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, metadata?.name, ordinalOf(pod));
    const claim = storedObject(context, claimKind, { namespace, name });
    if (claim) await change(context, claim, { metadata: { ownerReferences: [controllerReference(pod)] } });
  }
}
