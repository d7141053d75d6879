import type { SimulationContext } from '../simulation-context.ts';
import type { Deployment } from './view.ts';

type Kind = { readonly type: 'Normal' | 'Warning'; readonly reason: string };

/** Records an event about a deployment. */
export const recordDeploymentEvent = (
  context: SimulationContext,
  deployment: Deployment,
  message: string,
  kind: Kind = { type: 'Normal', reason: 'ScalingReplicaSet' },
): Promise<void> =>
  context.events.record(deployment, { ...kind, message, component: 'deployment-controller' });
