import type { KubeObject } from '#base/model';
import { nodeKind } from '../kinds.ts';
import { nowOf, refOf, type SimulationContext } from '../simulation-context.ts';
import { all, storedObject, writeStatus } from '../write.ts';
import { scriptOf } from './outcome.ts';
import { missingClaim } from './references.ts';
import { qosClassOf, withConditions } from './status.ts';
import { type Pod, targetNode } from './view.ts';

const scheduler = { manager: 'kube-scheduler' };

/**
 * Binds a pod to a node, or records why it cannot. Nodes of an embedded cluster take any number of pods and
 * satisfy any selector: a manifest's demands on a real cluster's nodes cannot be rehearsed here.
 */
export async function schedule(context: SimulationContext, pod: Pod): Promise<boolean> {
  if (!isOurs(pod)) return false;
  const why = obstacle(context, pod);
  if (why) {
    await refuse(context, pod, why);
    return false;
  }
  const nodes = usableNodes(context);
  const drawn = nodes[Math.floor(context.chance.number(`node ${pod.metadata.uid}`) * nodes.length)];
  const nodeName = targetNode(pod) ?? drawn?.metadata.name ?? '';
  await context.objects.bind(refOf(pod), nodeName, scheduler);
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  const component = 'default-scheduler';
  await context.events.record(pod, {
    type: 'Normal',
    reason: 'Scheduled',
    message,
    component,
    action: 'Binding',
  });
  return true;
}

/** compat cluster 5.1: a pod that names another scheduler is left to that one. */
function isOurs({ spec }: Pod): boolean {
  const { schedulerName = 'default-scheduler' } = (spec ?? {}) as { schedulerName?: string };
  return schedulerName === 'default-scheduler';
}

type Obstacle = { readonly reason: string; readonly message: string };

function obstacle(context: SimulationContext, pod: Pod): Obstacle | undefined {
  if ((pod.spec?.schedulingGates ?? []).length > 0) {
    return { reason: 'SchedulingGated', message: 'Scheduling is blocked due to non-empty scheduling gates' };
  }
  const nodes = all(context, nodeKind).length;
  const none = (why: string): Obstacle => ({
    reason: 'Unschedulable',
    message: `0/${nodes} nodes are available: ${why}`,
  });
  // compat cluster 5.3: pods of a daemon set are bound to nodes that take no others
  const meant = targetNode(pod);
  const isClosed =
    meant === undefined
      ? usableNodes(context).length === 0
      : !all(context, nodeKind).some(({ metadata }) => metadata.name === meant);
  if (isClosed) return none(`${nodes} node(s) were unschedulable.`);
  if (scriptOf(context, pod).outcome === 'unschedulable') {
    const helpless = `preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`;
    return none(`${nodes} node(s) didn't match Pod's node affinity/selector. ${helpless}`);
  }
  const claim = missingClaim(context, pod);
  return claim === undefined ? undefined : none(`${claim}.`);
}

async function refuse(context: SimulationContext, pod: Pod, { reason, message }: Obstacle): Promise<void> {
  const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const judged = withConditions(pod, nowOf(context), {
    PodScheduled: { status: 'False', reason, message },
  });
  // compat cluster 5.1: a scheduling gate is recorded when the pod is created, before there is a generation
  const conditions =
    reason === 'SchedulingGated' ? judged.map(({ observedGeneration: _seen, ...one }) => one) : judged;
  const qosClass = qosClassOf(pod.spec ?? {});
  await writeStatus(context, pod, { ...pod.status, phase: 'Pending', qosClass, conditions }, scheduler);
  if (reason === 'SchedulingGated' || known?.message === message) return;
  const component = 'default-scheduler';
  const failed = { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling' } as const;
  await context.events.record(pod, { ...failed, message, component });
}

type Node = KubeObject<{ unschedulable?: boolean }, { addresses?: { type: string; address: string }[] }>;

const usableNodes = (context: SimulationContext): readonly KubeObject[] =>
  all(context, nodeKind).filter((node) => (node as Node).spec?.unschedulable !== true);

/** The address of a node. */
export function nodeAddress(context: SimulationContext, name: string): string {
  const node = storedObject(context, nodeKind, { namespace: '', name }) as Node | undefined;
  return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '192.0.2.1';
}
