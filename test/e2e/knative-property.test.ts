import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import type { Application } from '#base/model';
import {
  playTraffic,
  type TrafficGround,
  type TrafficPolicy,
  trafficApplication,
  trafficPlan,
} from '../knative/traffic-model.ts';
import { createPlant, file } from './knative-failures/plant.ts';

// The property of test/knative/traffic-model.ts on the started program, in real time: on the embedded cluster, or on the Knative of
// FAIRLEAD_TEST_KUBECONFIG (npm run test:knative). test/knative/traffic-property.test.ts plays many more in virtual time. A failure
// prints its seed: FAIRLEAD_TEST_SEED=… repeats it.

const { FAIRLEAD_TEST_SEED: seed } = process.env;
const plant = createPlant();

beforeAll(() => plant.start());
afterAll(() => plant.stop());

const isIdle = ({ operation, status }: Application): boolean =>
  !operation && status?.operationState?.phase !== 'Running';
const endedAt = ({ status }: Application): string | undefined => status?.operationState?.finishedAt;
const annotation = 'argocd.argoproj.io/refresh';

/** An application and a namespace of their own, in the one program. */
async function openGround(name: string, policy: TrafficPolicy): Promise<TrafficGround> {
  const patchService = (by: string, ...words: string[]) =>
    plant.kubectl('patch', `ksvc/${name}`, '-n', name, `--field-manager=${by}`, ...words);
  const app = (...words: string[]) => plant.kubectl('-n', 'argocd', ...words);
  const idle = () => plant.until(name, 'idle', isIdle);
  let isCreated = false;
  return {
    name,
    commit: async (service) => {
      if (isCreated) return plant.commit(name, { [file]: service });
      isCreated = true;
      const { syncPolicy } = trafficApplication(name, '', policy).spec;
      return plant.begin(name, { [file]: service }, { syncPolicy });
    },
    sync: async () => {
      await idle();
      await plant.cli('app', 'sync', name);
      return (await idle()).status?.operationState?.phase;
    },
    edit: async (by, body) => {
      await patchService(by, '--type=merge', '-p', JSON.stringify(body));
    },
    apply: async (by, fields) => plant.applyAs(by, { ...serviceIn(name), ...fields }),
    // a rollout may take as long as it takes
    wait: async () => {
      await plant.kubectl('wait', `ksvc/${name}`, '-n', name, '--for=condition=Ready', '--timeout=120s');
    },
    settled: async () => {
      for (;;) {
        const before = endedAt(await idle());
        await app('annotate', `app/${name}`, '--overwrite', `${annotation}=normal`);
        const isRefreshed = (one: Application) => isIdle(one) && !one.metadata.annotations?.[annotation];
        const found = await plant.until(name, 'refreshed', isRefreshed);
        if (endedAt(found) === before) return { app: found, live: await plant.live(name) };
      }
    },
  };
}

const serviceIn = (name: string) => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name, namespace: name },
});

test('a declared split decides, and what Knative owns never does', { timeout: 600_000 }, async () => {
  let runs = 0;
  const property = fc.asyncProperty(trafficPlan(5), async (plan) => {
    runs += 1;
    await playTraffic(await openGround(`shop-${runs}`, plan.policy), plan);
  });
  await fc.assert(property, {
    ...{ numRuns: 3, endOnFailure: true },
    ...(seed !== undefined && { seed: Number(seed) }),
  });
});
