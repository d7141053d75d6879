import { type Condition, type KubeObject, printTime, setCondition } from '#base/model';
import { autoscalerKind, deploymentKind, replicaSetKind, statefulSetKind } from './kinds.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  refOf,
  type SimulationContext,
} from './simulation-context.ts';
import { all, controllerManager, isDeleting, storedObject, writeStatus } from './write.ts';

type Target = { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
type Autoscaler = KubeObject<
  { readonly scaleTargetRef?: Target; readonly minReplicas?: number; readonly maxReplicas?: number },
  { readonly conditions?: readonly Condition[]; readonly lastScaleTime?: string }
>;

/**
 * Keeps the replicas of its target between the bounds. The simulation has no load, so it never scales within them.
 */
export const autoscalerController: Controller = {
  type: autoscalerKind,
  wakes: [deploymentKind, statefulSetKind, replicaSetKind].map((type) => ({
    type,
    keys: (context: SimulationContext, { object }: { object: KubeObject }) =>
      (all(context, autoscalerKind, object.metadata.namespace) as Autoscaler[])
        .filter(({ spec }) => {
          const { kind, name } = spec?.scaleTargetRef ?? {};
          return kind === object.kind && name === object.metadata.name;
        })
        .map(keyOfObject),
  })),
  async reconcile(context, object): Promise<NextPass | undefined> {
    const scaler = object as Autoscaler;
    if (isDeleting(scaler)) return undefined;
    const { apiVersion = '', kind = '', name = '' } = scaler.spec?.scaleTargetRef ?? {};
    const target = storedObject(context, { apiVersion, kind }, { ...keyOfObject(scaler), name });
    await (target ? follow(context, scaler, target) : reportMissing(context, scaler));
    return undefined;
  },
};

const condition = (type: string, status: string, reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
});

async function follow(context: SimulationContext, scaler: Autoscaler, target: KubeObject): Promise<void> {
  const { minReplicas = 1, maxReplicas = minReplicas } = scaler.spec ?? {};
  const { replicas: requested = 1 } = (target.spec ?? {}) as { replicas?: number };
  const { replicas: current = 0 } = (target.status ?? {}) as { replicas?: number };
  // compat cluster 5.5: a target scaled to zero is not rescaled
  const wanted = requested === 0 ? 0 : Math.min(maxReplicas, Math.max(minReplicas, requested));
  if (wanted !== requested) {
    const body = { spec: { replicas: wanted } };
    await context.objects.patch(
      refOf(target),
      { type: 'merge', body },
      { ...controllerManager, subresource: 'scale' },
    );
    return reportRescale(context, scaler, { current, wanted, requested, minReplicas });
  }
  if (requested === 0) return reportDisabled(context, scaler, current);
  const isLimited = wanted === minReplicas;
  const conditions = [
    condition('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size'),
    condition(
      'ScalingActive',
      'True',
      'ValidMetricFound',
      'the HPA was able to successfully calculate a replica count',
    ),
    isLimited
      ? condition(
          'ScalingLimited',
          'True',
          'TooFewReplicas',
          'the desired replica count is less than the minimum replica count',
        )
      : condition(
          'ScalingLimited',
          'False',
          'DesiredWithinRange',
          'the desired count is within the acceptable range',
        ),
  ];
  const { lastScaleTime } = scaler.status ?? {};
  await report(context, scaler, conditions, {
    currentReplicas: current,
    desiredReplicas: wanted,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
  });
}

async function reportDisabled(
  context: SimulationContext,
  scaler: Autoscaler,
  currentReplicas: number,
): Promise<void> {
  const able = "the HPA controller was able to get the target's current scale";
  const off = 'scaling is disabled since the replica count of the target is zero';
  const conditions = [
    condition('AbleToScale', 'True', 'SucceededGetScale', able),
    condition('ScalingActive', 'False', 'ScalingDisabled', off),
  ];
  await report(context, scaler, conditions, { currentReplicas, desiredReplicas: 0 });
}

type Rescale = {
  readonly current: number;
  readonly wanted: number;
  readonly requested: number;
  readonly minReplicas: number;
};

/** compat cluster 5.5: right after a rescale the status reports the rescale only. */
async function reportRescale(
  context: SimulationContext,
  scaler: Autoscaler,
  rescale: Rescale,
): Promise<void> {
  const { current, wanted, requested, minReplicas } = rescale;
  const words = `the HPA controller was able to update the target scale to ${wanted}`;
  await report(context, scaler, [condition('AbleToScale', 'True', 'SucceededRescale', words)], {
    currentReplicas: current,
    desiredReplicas: wanted,
    lastScaleTime: printTime(context.clock.now()),
  });
  const bound = requested < minReplicas ? 'below Spec.MinReplicas' : 'above Spec.MaxReplicas';
  const message = `New size: ${wanted}; reason: Current number of replicas ${bound}`;
  await context.events.record(scaler, { type: 'Normal', reason: 'SuccessfulRescale', message, component });
}

const component = 'horizontal-pod-autoscaler';

async function reportMissing(context: SimulationContext, scaler: Autoscaler): Promise<void> {
  const { kind = '', name = '' } = scaler.spec?.scaleTargetRef ?? {};
  const lost = `${kind.toLowerCase()}s.apps "${name}" not found`;
  await context.events.record(scaler, {
    type: 'Warning',
    reason: 'FailedGetScale',
    message: lost,
    component,
  });
  const message = `the HPA controller was unable to get the target's current scale: ${lost}`;
  await report(context, scaler, [condition('AbleToScale', 'False', 'FailedGetScale', message)], {
    currentReplicas: 0,
    desiredReplicas: 0,
  });
}

async function report(
  context: SimulationContext,
  scaler: Autoscaler,
  found: readonly Condition[],
  counts: object,
): Promise<void> {
  const before = (scaler.status?.conditions ?? []).filter(({ type }) =>
    found.some((one) => one.type === type),
  );
  const conditions = found.reduce<readonly Condition[]>(
    (list, one) => setCondition(list, one, context.clock.now()),
    before,
  );
  await writeStatus(context, scaler, { ...counts, conditions });
}
