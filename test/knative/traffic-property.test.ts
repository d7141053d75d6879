import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { createKubeClient } from '#kubernetes/client';
import { Commits, Life } from '../fault/control-plane.ts';
import { furnishedWithKnative, home, Stage } from '../fault/stage.ts';
import {
  playTraffic,
  type TrafficGround,
  type TrafficPolicy,
  trafficApplication,
  trafficPlan,
} from './traffic-model.ts';

// The property of traffic-model.ts on the real controller, its comparison and its sync, in virtual time. test/e2e/knative-property.test.ts
// has the same on the started program, and on real Knative. A failure prints its seed: FAIRLEAD_TEST_SEED=… repeats it.

const { FAIRLEAD_TEST_SEED: seed } = process.env;
const name = 'shop';
const refs = {
  app: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name },
  service: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace: name, name },
};
const furnishing = furnishedWithKnative();

/** A control plane of its own on a cluster of its own. */
async function openGround(policy: TrafficPolicy): Promise<TrafficGround & { close(): Promise<void> }> {
  const stage = await Stage.open(await furnishing);
  const { ctx } = stage;
  const kube = createKubeClient({ transport: stage.transport });
  const commits = new Commits();
  commits.commit([]);
  const life = new Life(stage, { generate: commits.generate, watch: (inner) => commits.watch(inner) });
  await kube.apply(ctx, trafficApplication(name, '/repositories/shop', policy), { fieldManager: 'test' });
  const app = (): Application => stage.app(name) as Application;
  const isIdle = ({ operation, status }: Application): boolean =>
    !operation && status?.operationState?.phase !== 'Running';
  const idle = () => stage.until('no operation runs', () => isIdle(app()));
  const refresh = async (): Promise<void> => {
    const body = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
    await kube.patch(ctx, refs.app, { type: 'merge', body });
    await stage.until('it is refreshed', () => !app().metadata.annotations?.['argocd.argoproj.io/refresh']);
    await idle();
  };
  return {
    name,
    commit: async (service) => commits.commit([service]),
    sync: async () => {
      await idle();
      const before = app().status?.operationState?.startedAt;
      await stage.clock.advance(1000); // operations are told apart by the second they began in
      await kube.patch(ctx, refs.app, { type: 'merge', body: { operation: { sync: {} } } });
      await stage.until('the sync has ended', () => {
        const { status } = app();
        return isIdle(app()) && status?.operationState?.startedAt !== before;
      });
      return app().status?.operationState?.phase;
    },
    edit: async (fieldManager, body) => {
      await kube.patch(ctx, refs.service, { type: 'merge', body }, { fieldManager });
    },
    apply: async (fieldManager, fields) => {
      const { apiVersion, kind, ...metadata } = refs.service;
      const object = { apiVersion, kind, ...fields, metadata } as KubeObject;
      await kube.apply(ctx, object, { fieldManager, force: true });
    },
    wait: async (seconds) => {
      await stage.clock.advance(seconds * 1000);
    },
    settled: async () => {
      // self-heal may sync what a refresh found
      for (let ended = 'never'; ended !== app().status?.operationState?.finishedAt; ) {
        ended = app().status?.operationState?.finishedAt ?? '';
        await refresh();
        if (!app().status?.operationState) break;
      }
      await stage.quiet();
      const live = stage.cluster.objects.get(refs.service);
      expect(live).toBeDefined();
      return { app: app(), live: live as KubeObject };
    },
    close: async () => {
      await life.end();
      await stage.close();
    },
  };
}

test('a declared split decides, and what Knative owns never does', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(trafficPlan(10), async (plan) => {
    const ground = await openGround(plan.policy);
    try {
      await playTraffic(ground, plan);
    } finally {
      await ground.close();
    }
  });
  const repeated = { endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) };
  // the fewest, on however busy a machine, and then what there is time for
  await fc.assert(property, { ...repeated, numRuns: 12 });
  await fc.assert(property, { ...repeated, numRuns: 60, interruptAfterTimeLimit: 20_000 });
});
