import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { SecretValues } from './secret-values.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
});
afterEach(async () => {
  stop.abort();
  await cluster.close();
});

const secret = (name: string, labels: Record<string, string>, stringData: Record<string, string>) =>
  kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', labels },
    stringData,
  } as KubeObject);

test('server §1.2: a value may say where the real one is, and only Secrets of ours are asked', async () => {
  const ours = { 'app.kubernetes.io/part-of': 'argocd' };
  await secret('hooks', ours, { github: ' far \n' });
  await secret('strangers', {}, { github: 'not ours' });
  await secret('argocd-secret', {}, {
    plain: 'near',
    here: '$plain',
    there: '$hooks:github',
    stranger: '$strangers:github',
    nowhere: '$hooks:other',
  }); // biome-ignore format: a table
  const values = new SecretValues({ kube, namespace: 'default' });
  const running = values.run(ctx).catch(() => {});
  await values.whenSynced(ctx);
  const all = ['plain', 'here', 'there', 'stranger', 'nowhere', 'absent'].map((key) => values.get(key));
  expect(all).toEqual(['near', 'near', 'far', '$strangers:github', '$hooks:other', undefined]);
  stop.abort();
  await running;
});
