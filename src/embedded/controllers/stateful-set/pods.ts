import type { KubeObject } from '#base/model';
import { recordedTemplate, revisionLabel } from '../controller-revision.ts';
import { podFrom } from '../replicas.ts';
import type { SimulationContext } from '../simulation-context.ts';
import { controllerManager, discard } from '../write.ts';
import { ensureClaims, releaseClaims } from './claims.ts';
import { recordSetEvent } from './record-event.ts';
import { type Plan, partitionOf, type StatefulSet } from './view.ts';

/** Creates the pod of an ordinal: of the old revision below the partition, of the new one from there on. */
export async function addPod(context: SimulationContext, plan: Plan, ordinal: number): Promise<void> {
  const { set, current, update } = plan;
  const name = `${set.metadata.name}-${ordinal}`;
  const revision = ordinal < partitionOf(set) ? current : update;
  const claims = await ensureClaims(context, set, ordinal);
  try {
    await context.objects.create(podOf(context, set, { ordinal, revision, claims }), controllerManager);
  } catch (error) {
    const words = `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${(error as Error).message}`;
    await recordSetEvent(context, set, 'FailedCreate', words);
    throw error;
  }
  await recordSetEvent(
    context,
    set,
    'SuccessfulCreate',
    `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
  );
}

type Making = {
  readonly ordinal: number;
  readonly revision: string;
  readonly claims: Awaited<ReturnType<typeof ensureClaims>>;
};

function podOf(
  context: SimulationContext,
  set: StatefulSet,
  { ordinal, revision, claims }: Making,
): KubeObject {
  const name = `${set.metadata.name}-${ordinal}`;
  const { serviceName } = set.spec ?? {};
  const template = recordedTemplate(context, set, revision) ?? set.spec?.template ?? {};
  const others = (template.spec?.volumes ?? []).filter(
    (one) => !claims.some((claim) => claim.name === one.name),
  );
  return podFrom(set, template, name, {
    labels: {
      [revisionLabel]: `${set.metadata.name}-${revision}`,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: {
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(claims.length > 0 && { volumes: [...others, ...claims] }),
    },
  });
}

/** Deletes a pod; a pod that is scaled down may take its claims along. */
export async function removePod(
  context: SimulationContext,
  set: StatefulSet,
  pod: KubeObject,
  isForGood = false,
): Promise<void> {
  if (isForGood) await releaseClaims(context, set, pod);
  await discard(context, pod);
  const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
  await recordSetEvent(context, set, 'SuccessfulDelete', message);
}
