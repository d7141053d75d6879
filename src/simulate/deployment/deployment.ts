import { deploymentKind, podKind, replicaSetKind } from '../kinds.ts';
import { isActive } from '../pod/view.ts';
import { ownerKey, type ReplicaSet } from '../replica-set.ts';
import { type Again, type Controller, keyOfObject, type World } from '../world.ts';
import { controlled, discard, isDeleting, look } from '../write.ts';
import { proportionalSteps, type Rescale, rollingSteps } from './scale.ts';
import { ensureCurrent, noteSizes, pruneHistory, setsOf, wasScaled } from './sets.ts';
import { report } from './status.ts';
import { type Deployment, everySet, type Sets, wanted } from './view.ts';

/** Rolls pods of a new template in and those of old ones out, within the bounds of the strategy. */
export const deploymentController: Controller = {
  type: deploymentKind,
  wakes: [{ type: replicaSetKind, keys: (_world, event) => ownerKey('Deployment', event) }],
  async reconcile(world, object): Promise<Again | undefined> {
    const deployment = object as Deployment;
    if (!isDeleting(deployment)) await advance(world, deployment);
    const newest = look(world, deploymentKind, keyOfObject(deployment)) as Deployment | undefined;
    return newest && report(world, newest, setsOf(world, newest));
  },
};

async function advance(world: World, deployment: Deployment): Promise<void> {
  const sets = setsOf(world, deployment);
  if (deployment.spec?.paused === true || wasScaled(deployment, sets)) {
    await rescale(world, deployment, proportionalSteps(deployment, sets));
    return;
  }
  if (deployment.spec?.strategy?.type === 'Recreate' && !(await isCleared(world, deployment, sets))) return;
  const current = await ensureCurrent(world, deployment, sets);
  if (!sets.current) await tellScaled(world, deployment, current, 0);
  await rescale(world, deployment, rollingSteps(deployment, { ...sets, current }));
  await pruneHistory(world, deployment, sets, discard);
}

/** Recreate: nothing new before the last of the old pods is gone. */
async function isCleared(world: World, deployment: Deployment, sets: Sets): Promise<boolean> {
  const leaving = sets.old.filter((set) => wanted(set) > 0).map((set) => ({ set, replicas: 0 }));
  if (leaving.length > 0) await rescale(world, deployment, leaving);
  return leaving.length === 0 && !hasPods(world, sets);
}

const hasPods = (world: World, { old }: Sets): boolean =>
  old.some((set) => controlled(world, set, podKind).some((pod) => isActive(pod) || isDeleting(pod)));

async function rescale(world: World, deployment: Deployment, steps: readonly Rescale[]): Promise<void> {
  const scaled = new Set(steps.map(({ set }) => set.metadata.name));
  for (const { set, replicas } of steps) {
    const after = await noteSizes(world, deployment, set, replicas);
    await tellScaled(world, deployment, after as ReplicaSet, wanted(set));
  }
  const others = everySet(setsOf(world, deployment)).filter(
    (set) => !scaled.has(set.metadata.name) && wanted(set) > 0,
  );
  await Promise.all(others.map((set) => noteSizes(world, deployment, set, wanted(set))));
}

async function tellScaled(
  world: World,
  deployment: Deployment,
  set: ReplicaSet,
  before: number,
): Promise<void> {
  const after = wanted(set);
  if (after === before) return;
  const direction = after > before ? 'up' : 'down';
  await world.events.tell(deployment, {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${after}`,
    component: 'deployment-controller',
  });
}
