import { conditionOf } from '#base/model';
import type { Deployment } from '../deployment/view.ts';
import { deploymentKind } from '../kinds.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  refOf,
  type SimulationContext,
} from '../simulation-context.ts';
import { isDeleting, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { Conditions, livingSet } from './conditions.ts';
import { configOf, type KnativeConfig } from './config.ts';
import { ensure } from './ensure.ts';
import { autoscaler, metricKind, podAutoscalerKind, serverlessServiceKind } from './kinds.ts';
import { boundsOf, decide, type ScaleBounds, type ScaleDecision, windowMs } from './scale.ts';
import { ensureServerless, revisionOf } from './serverless-service.ts';
import { type PodAutoscaler, readyOf, type ServerlessService } from './view.ts';

const conditionSet = livingSet('Active', 'SKSReady', 'ScaleTargetInitialized');
const metricSet = livingSet();

/**
 * Decides how many pods a revision has. There are no requests here, so a revision that may scale to zero does
 * after a while.
 */
export const podAutoscalerController: Controller = {
  type: podAutoscalerKind,
  wakes: [
    { type: deploymentKind, keys: revisionOf },
    { type: serverlessServiceKind, keys: revisionOf },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return undefined;
    const scaler = object as PodAutoscaler;
    const conditions = new Conditions(conditionSet, scaler.status?.conditions, context.clock.now());
    const live = storedObject(context, serverlessServiceKind, keyOfObject(scaler)) as
      | ServerlessService
      | undefined;
    const { fields, again } = live?.status?.privateServiceName
      ? await scaled(context, scaler, live.status.privateServiceName, conditions)
      : await begun(context, scaler, conditions);
    const { generation: observedGeneration } = scaler.metadata;
    const status = { ...scaler.status, ...fields, observedGeneration, conditions: conditions.list };
    await writeStatus(context, scaler, status, autoscaler);
    return again;
  },
};

type Pass = { readonly fields: object; readonly again?: NextPass | undefined };

/** compat cluster 5.6: before the Services exist the status only reports that requests are queued. */
async function begun(
  context: SimulationContext,
  scaler: PodAutoscaler,
  conditions: Conditions,
): Promise<Pass> {
  await ensureServerless(context, scaler, leastActivators);
  conditions.markUnknown('SKSReady', 'NotReady', 'No Private Service Name');
  const bounds = boundsOf(configOf(context), scaler);
  judgeActive(conditions, bounds, { want: -1, ready: 0, isServed: false });
  return { fields: { ...counts(scaler, -1, 0), serviceName: '', metricsServiceName: '' } };
}

async function scaled(
  context: SimulationContext,
  scaler: PodAutoscaler,
  metricsServiceName: string,
  conditions: Conditions,
): Promise<Pass> {
  const config = configOf(context);
  const { name = '' } = scaler.spec?.scaleTargetRef ?? {};
  const deployment = storedObject(context, deploymentKind, { ...keyOfObject(scaler), name }) as
    | Deployment
    | undefined;
  const ready = deployment?.status?.readyReplicas ?? 0;
  await ensureMetric(context, config, scaler, metricsServiceName);
  const serverless = await ensureServerless(context, scaler, activators(scaler, ready));
  const bounds = boundsOf(config, scaler);
  const decision = decide({ context, config, scaler, serverless, conditions, bounds });
  if (deployment) await setScale(context, deployment, decision);
  followServices(conditions, serverless);
  const serviceName = serverless?.status?.serviceName ?? '';
  judgeActive(conditions, bounds, { want: decision.want, ready, isServed: serviceName !== '' });
  const fields = { ...counts(scaler, decision.want, ready), serviceName, metricsServiceName };
  return { fields, again: decision.again };
}

/** compat cluster 5.6: an unknown desired scale does not replace a known one. */
const counts = ({ status }: PodAutoscaler, want: number, ready: number) => ({
  actualScale: ready,
  desiredScale: want === -1 && (status?.desiredScale ?? -1) >= 0 ? status?.desiredScale : want,
});

async function setScale(
  context: SimulationContext,
  deployment: Deployment,
  { scale }: ScaleDecision,
): Promise<void> {
  if (scale === undefined || deployment.spec?.replicas === scale) return;
  const body = { spec: { replicas: scale } };
  const by = { ...autoscaler, subresource: 'scale' } as const;
  await context.objects.patch(refOf(deployment), { type: 'merge', body }, by);
}

const queued = 'Requests to the target are being buffered as resources are provisioned.';
const quiet = 'The target is not receiving traffic.';

type Counted = { readonly want: number; readonly ready: number; readonly isServed: boolean };

function judgeActive(conditions: Conditions, bounds: ScaleBounds, { want, ready, isServed }: Counted): void {
  const isInitialized = conditions.is('ScaleTargetInitialized', 'True');
  const least = Math.max(bounds.min, isInitialized ? 1 : bounds.initial);
  if (ready >= least && isServed) conditions.markTrue('ScaleTargetInitialized');
  const isWanted = want > 0 || !conditions.is('Active', 'False');
  if (want === 0 || least === 0) markIdle(conditions, least);
  else if (ready < least && isWanted) conditions.markUnknown('Active', 'Queued', queued);
  else if (ready < least) conditions.markFalse('Active', 'NoTraffic', quiet);
  else if (isWanted) conditions.markTrue('Active');
}

function markIdle(conditions: Conditions, least: number): void {
  const isLate = conditions.is('Active', 'Unknown') && least > 0;
  if (isLate) conditions.markFalse('Active', 'TimedOut', 'The target could not be activated.');
  else conditions.markFalse('Active', 'NoTraffic', quiet);
}

function followServices(conditions: Conditions, serverless: ServerlessService | undefined): void {
  const ready = serverless && readyOf(serverless);
  if (ready?.status === 'True') conditions.markTrue('SKSReady');
  else conditions.markUnknown('SKSReady', 'NotReady', ready?.message);
}

const leastActivators = 2;
/** compat cluster 5.6: how many requests at once one activator takes, and how many may come as a burst. */
const capacity = { activator: 100, burst: 211, pod: 100 };

function activators(scaler: PodAutoscaler, ready: number): number {
  const each = scaler.spec?.containerConcurrency || capacity.pod;
  return Math.max(leastActivators, Math.ceil((ready * each + capacity.burst) / capacity.activator));
}

/** compat cluster 5.6: the Metric of a revision; the simulation measures nothing and reports it as ready. */
async function ensureMetric(
  context: SimulationContext,
  config: KnativeConfig,
  scaler: PodAutoscaler,
  scrapeTarget: string,
): Promise<void> {
  const { name, labels = {}, annotations = {} } = scaler.metadata;
  const stable = windowMs(config, context, scaler);
  const share = Number(annotations['autoscaling.knative.dev/panic-window-percentage'] ?? 10) / 100;
  const nanos = (ms: number): number => Math.round(ms * 1e6);
  const metric = await ensure(
    context,
    scaler,
    {
      ...metricKind,
      metadata: ownedMeta(scaler, { name, labels, annotations }),
      spec: { panicWindow: nanos(stable * share), scrapeTarget, stableWindow: nanos(stable) },
    },
    { by: autoscaler },
  );
  if (!metric || conditionOf((metric as PodAutoscaler).status?.conditions, 'Ready')) return;
  const conditions = new Conditions(metricSet, undefined, context.clock.now());
  conditions.markTrue('Ready');
  const { generation: observedGeneration } = metric.metadata;
  await writeStatus(context, metric, { observedGeneration, conditions: conditions.list }, autoscaler);
}
