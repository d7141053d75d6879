import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { Informer } from './informer.ts';

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

const inTeam = (name: string, team?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: team === undefined ? {} : { team } },
});

test('an index follows every change at once and is never behind the list', async () => {
  const informer = new Informer(kube, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
  await kube.create(ctx, inTeam('early', 'a'));
  const running = informer.run(ctx);
  await informer.whenSynced(ctx);
  const membersOf = informer.indexBy(({ metadata }) => metadata.labels?.team);
  const names = (team: string) => membersOf(team).map(({ metadata }) => metadata.name);
  expect(names('a')).toEqual(['early']);

  informer.put(await kube.create(ctx, inTeam('late', 'a')));
  informer.put(await kube.create(ctx, inTeam('other')));
  expect(names('a')).toEqual(['early', 'late']);

  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'early' };
  informer.put(await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { labels: { team: 'b' } } } }));
  expect([names('a'), names('b')]).toEqual([['late'], ['early']]);

  const changes = informer.changes(ctx);
  await kube.delete(ctx, ref);
  for await (const { after } of changes) if (!after) break;
  expect(names('b')).toEqual([]);
  stop.abort();
  await running.catch(() => {});
});
