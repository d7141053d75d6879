import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import type { SimulationContext } from '../simulation-context.ts';

/** compat 5.6: what a pass could not do is told as an event, and the pass is tried again, later each time. */
export async function failed(
  world: SimulationContext,
  object: KubeObject,
  component: string,
  message: string,
): Promise<never> {
  await world.events.tell(object, { type: 'Warning', reason: 'InternalError', message, component });
  throw new FairleadError('Unavailable', message);
}
