import type { Objects } from '#devcluster';
import type { Ctx } from '#std';
import { createChance } from './chance.ts';
import { deploymentController } from './deployment/deployment.ts';
import { dispatch } from './dispatcher.ts';
import { createEventSource, eventExpiry } from './event-log.ts';
import { type SimulationOptions, settingsFrom } from './options.ts';
import { createPodController } from './pod/pod.ts';
import { replicaSetController } from './replica-set.ts';
import type { Controller, World } from './world.ts';

/** Runs the controllers of a cluster until `ctx` stops or the cluster closes. A Task for runAll(). */
export async function runSimulation(ctx: Ctx, objects: Objects, options: SimulationOptions = {}): Promise<void> {
  const settings = settingsFrom(options);
  const chance = createChance(settings.seed);
  const { clock } = ctx;
  const events = createEventSource({ objects, clock, chance });
  const world: World = { objects, clock, settings, chance, events };
  await dispatch(ctx, world, controllers());
}

const controllers = (): readonly Controller[] => [
  eventExpiry,
  createPodController(),
  replicaSetController,
  deploymentController,
];
