import { type KubeObject, viewOf } from '#base/model';
import type { TypeRef } from '#embedded/apiserver';
import { claimKind, configMapKind, secretKind } from '../kinds.ts';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { storedObject } from '../write.ts';
import type { Container, Pod, Reference } from './view.ts';

type Data = { data: Record<string, string>; binaryData: Record<string, string> };

/**
 * compat cluster 5.1: the reason why a container cannot be created, in the kubelet's words; undefined when there
 * is none.
 */
export function missingForContainer(
  context: SimulationContext,
  pod: Pod,
  container: Container,
): string | undefined {
  for (const { valueFrom } of container.env ?? []) {
    const missing =
      missingKey(context, pod, configMapKind, valueFrom?.configMapKeyRef) ??
      missingKey(context, pod, secretKind, valueFrom?.secretKeyRef);
    if (missing) return missing;
  }
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const missing =
      missingObject(context, pod, configMapKind, configMapRef) ??
      missingObject(context, pod, secretKind, secretRef);
    if (missing) return missing;
  }
  return undefined;
}

/** The reason why a volume cannot be mounted; undefined when there is none. */
export function missingForVolumes(context: SimulationContext, pod: Pod): string | undefined {
  for (const { name = '', configMap, secret } of pod.spec?.volumes ?? []) {
    const secretRef = secret && { ...secret, name: secret.secretName ?? '' };
    const missing =
      missingObject(context, pod, configMapKind, configMap) ??
      missingObject(context, pod, secretKind, secretRef);
    if (missing) return `MountVolume.SetUp failed for volume "${name}" : ${missing}`;
  }
  return undefined;
}

/** Why a pod cannot be placed because of its claims, in the scheduler's words. */
export function missingClaim(context: SimulationContext, pod: Pod): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    const name = persistentVolumeClaim?.claimName;
    if (name === undefined) continue;
    const claim = storedObject(context, claimKind, { ...keyOfObject(pod), name });
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim "${name}" is being deleted`;
    if ((claim.status as { phase?: string } | undefined)?.phase !== 'Bound')
      return 'pod has unbound immediate PersistentVolumeClaims';
  }
  return undefined;
}

const word = ({ kind }: TypeRef): string => kind.toLowerCase();

function missingObject(
  context: SimulationContext,
  pod: Pod,
  type: TypeRef,
  ref: Reference | undefined,
): string | undefined {
  if (!ref?.name || ref.optional === true || find(context, pod, type, ref.name)) return undefined;
  return `${word(type)} "${ref.name}" not found`;
}

function missingKey(
  context: SimulationContext,
  pod: Pod,
  type: TypeRef,
  ref: Reference | undefined,
): string | undefined {
  if (!ref?.name || ref.optional === true) return undefined;
  const found = find(context, pod, type, ref.name);
  if (!found) return `${word(type)} "${ref.name}" not found`;
  const { data = {}, binaryData = {} } = viewOf<Data>(found);
  if (Object.hasOwn(data, ref.key ?? '') || Object.hasOwn(binaryData, ref.key ?? '')) return undefined;
  return `couldn't find key ${ref.key} in ${type.kind} ${keyOfObject(pod).namespace}/${ref.name}`;
}

const find = (context: SimulationContext, pod: Pod, type: TypeRef, name: string): KubeObject | undefined =>
  storedObject(context, type, { ...keyOfObject(pod), name });
