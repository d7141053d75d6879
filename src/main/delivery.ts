import { runAll, type Task } from '#base/std';
import {
  actWithoutPeer,
  createEventRecorder,
  RolloutInformers,
  rolloutController,
} from '#control/controllers';
import { runAsLeader } from '#control/runtime';
import { ensureNamespace } from './bootstrap.ts';
import type { Config } from './config.ts';
import type { Knowledge } from './knowledge.ts';
import { replicaName } from './replica-name.ts';

/** compat rollouts RP-4: the Lease of Argo Rollouts, so that one that is started later waits. */
const leaseName = 'argo-rollouts-controller-lock';

/**
 * Progressive delivery. On the embedded cluster it always acts; on any other it acts while it holds the Lease and no controller
 * of Argo Rollouts is at work.
 */
export async function deliveryOn({ kube }: Pick<Knowledge, 'kube'>, config: Config): Promise<Task> {
  const events = createEventRecorder({ kube, component: 'rollouts-controller' });
  const act: Task = (ctx) => {
    const informers = new RolloutInformers(kube);
    return runAll(ctx, [(inner) => informers.run(inner), rolloutController({ kube, informers, events })]);
  };
  if (!config.cluster) return act;
  const identity = `fairlead_${await replicaName(config.dataDir)}`;
  const namespace = config.rollouts.leaseNamespace;
  const lease = { kube, namespace, name: leaseName, identity };
  const lead: Task = (ctx) => runAsLeader(ctx, lease, { lead: act });
  return async (ctx) => {
    await ensureNamespace(ctx, kube, namespace);
    await actWithoutPeer(ctx, { kube, identity, leaseName }, lead);
  };
}
