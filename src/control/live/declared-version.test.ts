import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { atDeclaredVersions } from './declared-version.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let reads: string[];

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  reads = [];
  kube = createKubeClient({
    transport: (request) => {
      if (request.path.includes('/horizontalpodautoscalers/')) reads.push(request.path);
      return cluster.handle(request);
    },
  });
});

afterEach(async () => {
  stop.abort();
  await cluster.close();
});

const scaler = (apiVersion: string, spec: object): KubeObject => ({
  apiVersion,
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 4,
    ...spec,
  },
});
const old = scaler('autoscaling/v1', { targetCPUUtilizationPercentage: 70 });
const preferred = { apiVersion: 'autoscaling/v2', kind: old.kind, name: 'web', namespace: 'default' };

test('what Git declares at another version than the preferred one is seen at that version, asked for once (T-12)', async () => {
  await kube.create(ctx, old);
  const held = await kube.get(ctx, preferred);
  expect(held.apiVersion).toBe('autoscaling/v2');
  reads = [];
  const [first] = await atDeclaredVersions(ctx, { kube }, [held], [old]);
  expect(first).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 70 } });
  expect(first?.metadata.resourceVersion).toBe(held.metadata.resourceVersion);
  expect(await atDeclaredVersions(ctx, { kube }, [held], [old])).toEqual([first]);
  expect(reads).toHaveLength(1);
  const changed = await kube.patch(ctx, preferred, { type: 'merge', body: { spec: { maxReplicas: 5 } } });
  expect(await atDeclaredVersions(ctx, { kube }, [changed], [old])).toMatchObject([
    { spec: { maxReplicas: 5 } },
  ]);
  expect(await atDeclaredVersions(ctx, { kube }, [held], [scaler('autoscaling/v2', {})])).toEqual([held]);
});

test('what is declared at no served version, or is gone by now, stays as it was seen (T-12)', async () => {
  await kube.create(ctx, old);
  const held = await kube.get(ctx, preferred);
  expect(await atDeclaredVersions(ctx, { kube }, [held], [scaler('autoscaling/v9', {})])).toEqual([held]);
  await kube.delete(ctx, preferred);
  expect(await atDeclaredVersions(ctx, { kube }, [held], [old])).toEqual([held]);
});
