import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import type { SimulationContext } from '../simulation-context.ts';

/** compat cluster 5.6: the error of a pass is recorded as an event, and the pass is retried with a growing delay. */
export async function failed(
  context: SimulationContext,
  object: KubeObject,
  component: string,
  message: string,
): Promise<never> {
  await context.events.record(object, { type: 'Warning', reason: 'InternalError', message, component });
  throw new FairleadError('Unavailable', message);
}
