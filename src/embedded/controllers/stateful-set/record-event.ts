import type { SimulationContext } from '../simulation-context.ts';
import type { StatefulSet } from './view.ts';

/** Records an event about a stateful set. */
export const recordSetEvent = (
  context: SimulationContext,
  set: StatefulSet,
  reason: string,
  message: string,
): Promise<void> =>
  context.events.record(set, {
    type: reason.startsWith('Successful') ? 'Normal' : 'Warning',
    reason,
    message,
    component: 'statefulset-controller',
  });
