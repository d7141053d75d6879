import { setImmediate as letOthersIn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RegisteredCluster } from '#base/model';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { ClusterCache, type ClusterMember } from '#control/live';
import { createCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { clusterView } from './cluster-view.ts';

test('the state of a cluster is named before it is read, while it is read, just after it was lost and in an outage', async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const clock = virtualClock({ settle: async () => void (await letOthersIn()) });
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  let isDown = false;
  const broken = new AbortController();
  const kube = createKubeClient({
    transport: (request) => {
      if (isDown) return Promise.reject(new Error('connection refused'));
      return cluster.handle({ ...request, signal: AbortSignal.any([request.signal, broken.signal]) });
    },
  });
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  const record = { server: 'https://far.example', name: 'far', config: {} } as RegisteredCluster;
  const member = { record, live: { cache } } as unknown as ClusterMember;
  const state = async () => (await clusterView(ctx, member, 0)).connectionState;

  expect(await state()).toMatchObject({ status: 'Unknown', message: 'the cluster has not been read yet' });
  const running = cache.run(ctx);
  await cache.whenSynced(ctx);
  expect(await state()).toMatchObject({ status: 'Successful', message: '' });
  isDown = true;
  broken.abort(new Error('connection reset'));
  await clock.advance(5_000);
  const message = 'the connection to the cluster was lost just now';
  expect(await state()).toEqual({ status: 'Unknown', message, attemptedAt: expect.any(String) });
  await clock.advance(60_000);
  expect(await state()).toMatchObject({
    status: 'Failed',
    message: expect.stringContaining('connection re'),
  });
  stop.abort();
  await running;
  await cluster.close();
});
