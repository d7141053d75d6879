import type { World } from '../world.ts';
import type { StatefulSet } from './view.ts';

/** Tells people what the controller did to a stateful set. */
export const tell = (world: World, set: StatefulSet, reason: string, message: string): Promise<void> =>
  world.events.tell(set, {
    type: reason.startsWith('Successful') ? 'Normal' : 'Warning',
    reason,
    message,
    component: 'statefulset-controller',
  });
