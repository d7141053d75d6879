import { conditionOf } from '#base/model';
import { deploymentKind, podKind, replicaSetKind } from '../kinds.ts';
import { phaseOf } from '../pod/view.ts';
import { ownerKey, type ReplicaSet } from '../replica-set.ts';
import type { Controller, NextPass, SimulationContext } from '../simulation-context.ts';
import { change, controlled, isDeleting } from '../write.ts';
import { hasDeadline, progress } from './conditions.ts';
import { sizeNotes, wasToldAll, wasToldNothing } from './notes.ts';
import { growth, type Rescale, rollingSteps, scalingSteps } from './scale.ts';
import { ensureCurrent, pruneHistory, type Synced, setsOf, syncRevision } from './sets.ts';
import { isComplete, reportCounts, reportRollout, say } from './status.ts';
import { tell } from './tell.ts';
import { type Deployment, everySet, existing, isRecreated, type Sets, wanted } from './view.ts';

/** Scales pods of a new template up and those of old templates down, within the bounds of the strategy. */
export const deploymentController: Controller = {
  type: deploymentKind,
  wakes: [{ type: replicaSetKind, keys: (_world, event) => ownerKey('Deployment', event) }],
  async reconcile(world, object): Promise<NextPass | undefined> {
    const deployment = object as Deployment;
    const sets = setsOf(world, deployment);
    if (isDeleting(deployment)) {
      await reportCounts(world, deployment, sets);
      return undefined;
    }
    const told = await sayPaused(world, deployment);
    if (told.spec?.paused === true || wasScaled(told, sets)) return scale(world, told, sets);
    return isRecreated(told) ? recreate(world, told, sets) : roll(world, told, sets);
  },
};

/**
 * compat cluster 5.2: pausing and resuming are reported first, unless the deadline has passed: that condition is
 * not overwritten.
 */
function sayPaused(world: SimulationContext, deployment: Deployment): Promise<Deployment> {
  const { spec = {}, status } = deployment;
  const reason = conditionOf(status?.conditions, 'Progressing')?.reason;
  const isSaid = reason === 'DeploymentPaused';
  const isPaused = spec.paused === true;
  if (!hasDeadline(spec) || reason === 'ProgressDeadlineExceeded' || isPaused === isSaid)
    return Promise.resolve(deployment);
  const word = isPaused
    ? progress('Unknown', 'DeploymentPaused', 'Deployment is paused')
    : progress('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return say(world, deployment, [word], {});
}

/** Whether the desired number of pods has changed since it was last written to the sets. */
const wasScaled = (deployment: Deployment, sets: Sets): boolean =>
  everySet(sets).some((set) => wanted(set) > 0 && !wasToldNothing(set) && !wasToldAll(set, deployment));

async function scale(world: SimulationContext, deployment: Deployment, sets: Sets): Promise<undefined> {
  const synced = await syncRevision(world, deployment, sets);
  await rescale(world, synced, scalingSteps(deployment, synced.sets));
  if (deployment.spec?.paused === true) await pruneHistory(world, deployment, synced.sets);
  await reportCounts(world, synced.deployment, synced.sets);
  return undefined;
}

async function roll(
  world: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<NextPass | undefined> {
  const synced = await ensureCurrent(world, deployment, sets);
  await rescale(world, synced, rollingSteps(deployment, synced.sets));
  return conclude(world, synced);
}

/** compat cluster 5.2: no new pod before the last of the old pods is deleted. */
async function recreate(
  world: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<NextPass | undefined> {
  const synced = await syncRevision(world, deployment, sets);
  const leaving = synced.sets.old.filter((set) => wanted(set) > 0).map((set) => ({ set, replicas: 0 }));
  await rescale(world, synced, leaving);
  if (leaving.length > 0 || hasOldPods(world, synced.sets))
    return reportRollout(world, synced.deployment, synced.sets);
  const ready = synced.sets.current ? synced : await ensureCurrent(world, synced.deployment, synced.sets);
  const { current } = ready.sets;
  if (current && growth(deployment, ready.sets, wanted(current)) !== wanted(current)) {
    await rescale(world, ready, [
      { set: current, replicas: growth(deployment, ready.sets, wanted(current)) },
    ]);
  }
  return conclude(world, ready);
}

const hasOldPods = (world: SimulationContext, { old }: Sets): boolean =>
  old.some(
    (set) =>
      existing(set) > 0 ||
      controlled(world, set, podKind).some((pod) => !['Succeeded', 'Failed'].includes(phaseOf(pod))),
  );

async function conclude(
  world: SimulationContext,
  { deployment, sets }: Synced,
): Promise<NextPass | undefined> {
  if (isComplete(deployment, deployment.status ?? {})) await pruneHistory(world, deployment, sets);
  return reportRollout(world, deployment, sets);
}

async function rescale(
  world: SimulationContext,
  { deployment }: Synced,
  steps: readonly Rescale[],
): Promise<void> {
  const latest = new Map<string, ReplicaSet>();
  for (const { set, replicas } of steps) {
    const { name } = set.metadata;
    const before = latest.get(name) ?? set;
    const after = await change(world, before, {
      metadata: { annotations: sizeNotes(deployment) },
      spec: { replicas },
    });
    latest.set(name, after as ReplicaSet);
    if (replicas === wanted(before)) continue;
    const direction = replicas > wanted(before) ? 'up' : 'down';
    await tell(
      world,
      deployment,
      `Scaled ${direction} replica set ${name} from ${wanted(before)} to ${replicas}`,
    );
  }
}
