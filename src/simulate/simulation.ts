import type { Objects } from '#devcluster';
import type { Ctx } from '#std';
import { autoscalerController } from './autoscaler.ts';
import { createChance } from './chance.ts';
import { claimController, volumeController } from './claim.ts';
import { cronJobController } from './cron-job.ts';
import { daemonSetController } from './daemon-set.ts';
import { deploymentController } from './deployment/deployment.ts';
import { dispatch } from './dispatcher.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { eventExpiry } from './event-expiry.ts';
import { createEventSource } from './event-source.ts';
import { ingressController } from './ingress.ts';
import { jobController } from './job.ts';
import { podAutoscalerController } from './knative/autoscaler.ts';
import { configurationController } from './knative/configuration.ts';
import { installDefinitions } from './knative/definitions.ts';
import { domainMappingController } from './knative/domain-mapping.ts';
import { createKnativeIngressController } from './knative/ingress.ts';
import { revisionController } from './knative/revision.ts';
import { routeController } from './knative/route.ts';
import { knativeServiceController } from './knative/service.ts';
import { type SimulationOptions, settingsFrom } from './options.ts';
import { createPodController } from './pod/pod.ts';
import { replicaSetController } from './replica-set.ts';
import { createServiceController } from './service.ts';
import { statefulSetController } from './stateful-set.ts';
import type { Controller, World } from './world.ts';

/** Runs the controllers of a cluster until `ctx` stops or the cluster closes. A Task for runAll(). */
export async function runSimulation(
  ctx: Ctx,
  objects: Objects,
  options: SimulationOptions = {},
): Promise<void> {
  const settings = settingsFrom(options);
  const chance = createChance(settings.seed);
  const { clock } = ctx;
  const events = createEventSource({ objects, clock, chance });
  const world: World = { objects, clock, settings, chance, events };
  await installDefinitions(objects);
  await dispatch(ctx, world, controllers());
}

const controllers = (): readonly Controller[] => [
  eventExpiry,
  createPodController(),
  replicaSetController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  createServiceController(),
  ingressController,
  claimController,
  volumeController,
  autoscalerController,
  disruptionBudgetController,
  knativeServiceController,
  configurationController,
  revisionController,
  routeController,
  podAutoscalerController,
  createKnativeIngressController(),
  domainMappingController,
];
