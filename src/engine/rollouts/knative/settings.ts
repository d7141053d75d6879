import { isObject } from '#base/std';
import { canaryOf, type Rollout } from '../rollout.ts';

/** compat rollouts §14: the built-in plugin whose weights are the traffic of a Knative Service. */
export const knativePlugin = 'fairlead.io/knative';
/** The field manager by which the Rollout owns the traffic. */
export const trafficManager = 'fairlead-rollouts';

export type KnativeSettings = { readonly service: string; readonly tag: string };

/** What the Rollout says about its Knative Service; undefined: it is none of that kind. */
export function knativeOf(rollout: Rollout): KnativeSettings | undefined {
  const settings = canaryOf(rollout)?.trafficRouting?.plugins?.[knativePlugin];
  if (settings === undefined) return undefined;
  const { service, tag } = isObject(settings) ? settings : {};
  return {
    service: typeof service === 'string' ? service : '',
    tag: tag === undefined ? 'candidate' : String(tag),
  };
}

/** compat rollouts RM-2: the Service that an analysis without arguments measures. */
export const serviceUnderTest = (rollout: Rollout): string | undefined =>
  knativeOf(rollout)?.service ?? canaryOf(rollout)?.canaryService;
