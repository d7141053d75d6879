import { conditionOf } from '#base/model';
import { deploymentKind, podKind, replicaSetKind } from '../kinds.ts';
import { phaseOf } from '../pod/view.ts';
import { ownerKey, type ReplicaSet } from '../replica-set.ts';
import type { Controller, NextPass, SimulationContext } from '../simulation-context.ts';
import { change, controlled, isDeleting } from '../write.ts';
import { hasDeadline, progress } from './conditions.ts';
import { hasCurrentSize, hasNoSize, sizeNotes } from './notes.ts';
import { recordDeploymentEvent } from './record-event.ts';
import { growth, type Rescale, rollingSteps, scalingSteps } from './scale.ts';
import { ensureCurrent, pruneHistory, type Synced, setsOf, syncRevision } from './sets.ts';
import { isComplete, reportCounts, reportRollout, say } from './status.ts';
import { type Deployment, everySet, existing, isRecreated, type Sets, wanted } from './view.ts';

/** Scales pods of a new template up and those of old templates down, within the bounds of the strategy. */
export const deploymentController: Controller = {
  type: deploymentKind,
  wakes: [{ type: replicaSetKind, keys: (_context, event) => ownerKey('Deployment', event) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const deployment = object as Deployment;
    const sets = setsOf(context, deployment);
    if (isDeleting(deployment)) {
      await reportCounts(context, deployment, sets);
      return undefined;
    }
    const reported = await sayPaused(context, deployment);
    if (reported.spec?.paused === true || wasScaled(reported, sets)) return scale(context, reported, sets);
    return isRecreated(reported) ? recreate(context, reported, sets) : roll(context, reported, sets);
  },
};

/**
 * compat cluster 5.2: pausing and resuming are reported first, unless the deadline has passed: that condition is
 * not overwritten.
 */
function sayPaused(context: SimulationContext, deployment: Deployment): Promise<Deployment> {
  const { spec = {}, status } = deployment;
  const reason = conditionOf(status?.conditions, 'Progressing')?.reason;
  const isSaid = reason === 'DeploymentPaused';
  const isPaused = spec.paused === true;
  if (!hasDeadline(spec) || reason === 'ProgressDeadlineExceeded' || isPaused === isSaid)
    return Promise.resolve(deployment);
  const word = isPaused
    ? progress('Unknown', 'DeploymentPaused', 'Deployment is paused')
    : progress('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return say(context, deployment, [word], {});
}

/** Whether the desired number of pods has changed since it was last written to the sets. */
const wasScaled = (deployment: Deployment, sets: Sets): boolean =>
  everySet(sets).some((set) => wanted(set) > 0 && !hasNoSize(set) && !hasCurrentSize(set, deployment));

async function scale(context: SimulationContext, deployment: Deployment, sets: Sets): Promise<undefined> {
  const synced = await syncRevision(context, deployment, sets);
  await rescale(context, synced, scalingSteps(deployment, synced.sets));
  if (deployment.spec?.paused === true) await pruneHistory(context, deployment, synced.sets);
  await reportCounts(context, synced.deployment, synced.sets);
  return undefined;
}

async function roll(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<NextPass | undefined> {
  const synced = await ensureCurrent(context, deployment, sets);
  await rescale(context, synced, rollingSteps(deployment, synced.sets));
  return conclude(context, synced);
}

/** compat cluster 5.2: no new pod before the last of the old pods is deleted. */
async function recreate(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<NextPass | undefined> {
  const synced = await syncRevision(context, deployment, sets);
  const leaving = synced.sets.old.filter((set) => wanted(set) > 0).map((set) => ({ set, replicas: 0 }));
  await rescale(context, synced, leaving);
  if (leaving.length > 0 || hasOldPods(context, synced.sets))
    return reportRollout(context, synced.deployment, synced.sets);
  const ready = synced.sets.current ? synced : await ensureCurrent(context, synced.deployment, synced.sets);
  const { current } = ready.sets;
  if (current && growth(deployment, ready.sets, wanted(current)) !== wanted(current)) {
    await rescale(context, ready, [
      { set: current, replicas: growth(deployment, ready.sets, wanted(current)) },
    ]);
  }
  return conclude(context, ready);
}

const hasOldPods = (context: SimulationContext, { old }: Sets): boolean =>
  old.some(
    (set) =>
      existing(set) > 0 ||
      controlled(context, set, podKind).some((pod) => !['Succeeded', 'Failed'].includes(phaseOf(pod))),
  );

async function conclude(
  context: SimulationContext,
  { deployment, sets }: Synced,
): Promise<NextPass | undefined> {
  if (isComplete(deployment, deployment.status ?? {})) await pruneHistory(context, deployment, sets);
  return reportRollout(context, deployment, sets);
}

async function rescale(
  context: SimulationContext,
  { deployment }: Synced,
  steps: readonly Rescale[],
): Promise<void> {
  const latest = new Map<string, ReplicaSet>();
  for (const { set, replicas } of steps) {
    const { name } = set.metadata;
    const before = latest.get(name) ?? set;
    const after = await change(context, before, {
      metadata: { annotations: sizeNotes(deployment) },
      spec: { replicas },
    });
    latest.set(name, after as ReplicaSet);
    if (replicas === wanted(before)) continue;
    const direction = replicas > wanted(before) ? 'up' : 'down';
    await recordDeploymentEvent(
      context,
      deployment,
      `Scaled ${direction} replica set ${name} from ${wanted(before)} to ${replicas}`,
    );
  }
}
