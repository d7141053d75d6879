import type { Ctx, VirtualClock } from '#base/std';
import type { Objects } from '#embedded/apiserver';
import { autoscalerController } from './autoscaler.ts';
import { claimController, volumeController } from './claim.ts';
import { cronJobController } from './cron-job.ts';
import { daemonSetController } from './daemon-set.ts';
import { deploymentController } from './deployment/deployment.ts';
import { createDispatch } from './dispatcher.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { createEventSource } from './event-source.ts';
import { ingressController } from './ingress.ts';
import { jobController } from './job/job.ts';
import { podAutoscalerController } from './knative/autoscaler.ts';
import { configurationController } from './knative/configuration.ts';
import { installDefinitions } from './knative/definitions.ts';
import { domainMappingController } from './knative/domain-mapping.ts';
import { createKnativeIngressController } from './knative/ingress.ts';
import { revisionController } from './knative/revision.ts';
import { routeController } from './knative/route.ts';
import { serverlessServiceController } from './knative/serverless-service.ts';
import { knativeServiceController } from './knative/service.ts';
import { type SimulationOptions, settingsFrom } from './options.ts';
import { createPodController } from './pod/pod.ts';
import { quotaController } from './quota.ts';
import { replicaSetController } from './replica-set.ts';
import { replicationController } from './replication-controller.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createServiceController } from './service.ts';
import type { Controller, SimulationContext } from './simulation-context.ts';
import { statefulSetController } from './stateful-set/stateful-set.ts';

/** The controllers of a cluster. */
export type Simulation = {
  /** Until `ctx` stops or the cluster closes. A Task for runAll(). */
  run(): Promise<void>;
  /** Resolves when no controller has a step to take before time passes. */
  settled(): Promise<void>;
  /**
   * Advances virtual time from appointment to appointment until none is left within the horizon: all transitions
   * have happened, except those that take longer than that.
   */
  settle(clock: VirtualClock, horizonMs?: number): Promise<void>;
};

export function createSimulation(ctx: Ctx, objects: Objects, options: SimulationOptions = {}): Simulation {
  const settings = settingsFrom(options);
  const chance = createSeededRandom(settings.seed);
  const { clock } = ctx;
  const events = createEventSource({ objects, clock, chance });
  const context: SimulationContext = { objects, clock, settings, chance, events };
  const dispatch = createDispatch(context, controllers());
  return {
    async run() {
      await installDefinitions(objects);
      await dispatch.run(ctx);
    },
    settled: dispatch.settled,
    async settle(virtual, horizonMs = 60_000) {
      for (;;) {
        await dispatch.settled();
        const [now, next] = [virtual.now().getTime(), dispatch.nextAt];
        if (next === undefined || next > now + horizonMs) return;
        await virtual.advance(Math.max(0, next - now));
      }
    },
  };
}

/** Runs the controllers of a cluster until `ctx` stops or the cluster closes. A Task for runAll(). */
export const runSimulation = (ctx: Ctx, objects: Objects, options: SimulationOptions = {}): Promise<void> =>
  createSimulation(ctx, objects, options).run();

const controllers = (): readonly Controller[] => [
  createPodController(),
  replicaSetController,
  replicationController,
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
  quotaController,
  knativeServiceController,
  configurationController,
  revisionController,
  routeController,
  podAutoscalerController,
  serverlessServiceController,
  createKnativeIngressController(),
  domainMappingController,
];
