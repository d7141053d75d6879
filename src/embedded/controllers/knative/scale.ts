import { conditionOf, parseDuration, parseTime } from '#base/model';
import { type NextPass, nowOf, type SimulationContext } from '../simulation-context.ts';
import type { Conditions } from './conditions.ts';
import { durationMs, isTrue, type KnativeConfig, wholeNumber } from './config.ts';
import { firstScaleOf, progressDeadlineOf } from './revision-deployment.ts';
import { maxScaleNote, minScaleNote } from './validate/annotations.ts';
import type { PodAutoscaler, ServerlessService } from './view.ts';

const settings = 'config-autoscaler';

/** The smallest and the largest scale of a revision; `max` 0: none. `initial` must be reached first. */
export type ScaleBounds = { readonly min: number; readonly max: number; readonly initial: number };

/** compat cluster 5.6: a revision that no route uses has no minimum scale. */
export function boundsOf(config: KnativeConfig, scaler: PodAutoscaler): ScaleBounds {
  const { annotations } = scaler.metadata;
  const isReachable = scaler.spec?.reachability !== 'Unreachable';
  const min = Number(minScaleNote(annotations)?.value ?? wholeNumber(config, settings, 'min-scale', 0));
  const max = Number(maxScaleNote(annotations)?.value ?? wholeNumber(config, settings, 'max-scale', 0));
  return { min: isReachable ? min || 0 : 0, max: max || 0, initial: firstScaleOf(config, scaler) };
}

/** For how long a revision is observed before it counts as idle. */
export function windowMs(
  config: KnativeConfig,
  { settings: own }: Pick<SimulationContext, 'settings'>,
  scaler: PodAutoscaler,
): number {
  const requested = scaler.metadata.annotations?.['autoscaling.knative.dev/window'];
  const usual = Number.isFinite(own.knativeIdleMs) ? own.knativeIdleMs : 60_000;
  return requested ? parseDuration(requested) : durationMs(config, settings, 'stable-window', usual);
}

/** `want` is reported (-1: unknown), `scale` is applied. */
export type ScaleDecision = { readonly want: number; readonly scale?: number; readonly again?: NextPass };

type Situation = {
  readonly context: SimulationContext;
  readonly config: KnativeConfig;
  readonly scaler: PodAutoscaler;
  readonly serverless: ServerlessService | undefined;
  readonly conditions: Conditions;
  readonly bounds: ScaleBounds;
};

/** compat cluster 5.6: the desired number of pods, without any requests but the first that made it ready. */
export function decide(situation: Situation): ScaleDecision {
  const { context, config, conditions, bounds, scaler } = situation;
  const isInitialized = conditions.is('ScaleTargetInitialized', 'True');
  const isReachable = scaler.spec?.reachability !== 'Unreachable';
  const isRising = !isInitialized && bounds.initial > 1 && isReachable;
  const min = isRising ? Math.max(bounds.initial, bounds.min) : bounds.min;
  const isBusy = isInitialized && !Number.isFinite(context.settings.knativeIdleMs);
  const demand = isBusy ? 1 : 0;
  const bounded = bounds.max > 0 ? Math.min(bounds.max, Math.max(min, demand)) : Math.max(min, demand);
  if (bounded > 0) return { want: bounded, scale: bounded };
  if (!isTrue(config, settings, 'enable-scale-to-zero', true)) return { want: 1, scale: 1 };
  if (conditions.is('Active', 'Unknown')) return activating(situation);
  return conditions.is('Active', 'True') ? active(situation) : inactive(situation);
}

const since = ({ context, conditions }: Situation, type: string): number =>
  parseTime(conditions.get(type)?.lastTransitionTime) ?? nowOf(context);

/** How much longer than its deadline a revision may take. */
const timeoutMs = 10_000;

function activating(situation: Situation): ScaleDecision {
  const { context, config, scaler } = situation;
  const end = since(situation, 'Active') + progressDeadlineOf(config, scaler) * 1000 + timeoutMs;
  return nowOf(context) >= end ? { want: 0, scale: 0 } : { want: -1, again: { at: end } };
}

function active(situation: Situation): ScaleDecision {
  const { context, config, scaler } = situation;
  const end = since(situation, 'Active') + windowMs(config, context, scaler);
  const now = nowOf(context);
  return now >= end ? { want: 0, again: { at: now } } : { want: 1, scale: 1, again: { at: end } };
}

/** compat cluster 5.6: pods are removed once requests have gone through the activator for the grace period. */
function inactive(situation: Situation): ScaleDecision {
  const { context, config, scaler, serverless } = situation;
  const now = nowOf(context);
  const grace = durationMs(config, settings, 'scale-to-zero-grace-period', 30_000);
  const idleSince = since(situation, 'Active');
  const proxied = conditionOf(serverless?.status?.conditions, 'ActivatorEndpointsPopulated');
  const proxiedSince = parseTime(proxied?.lastTransitionTime) ?? now;
  const kept = retentionMs(config, scaler);
  const end = Math.min(idleSince + Math.max(grace, kept), Math.max(idleSince + kept, proxiedSince + grace));
  return now >= end ? { want: 0, scale: 0 } : { want: 0, again: { at: end } };
}

function retentionMs(config: KnativeConfig, { metadata }: PodAutoscaler): number {
  const name = 'scale-to-zero-pod-retention-period';
  const requested = metadata.annotations?.[`autoscaling.knative.dev/${name}`];
  return requested ? parseDuration(requested) : durationMs(config, settings, name, 0);
}
