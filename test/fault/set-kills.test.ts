import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, ApplicationSet, KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type Transport } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { memoryStore } from '#platform/store';
import { bootstrap } from '../../src/main/bootstrap.ts';
import { type Config, readConfig, shipped } from '../../src/main/config.ts';
import type { GitTool } from '../../src/main/open-sources.ts';
import { setControllerOn } from '../../src/main/set-controller.ts';
import { openSharedCaches } from '../../src/main/shared-caches.ts';
import { temporaryFolder } from '../git-repository.ts';

// The controller of ApplicationSets is killed at every write of a pass that creates, updates and deletes; the next process
// finds one application for each parameter set, with one owner, and no other.

const namespace = 'argocd';
const apiVersion = 'argoproj.io/v1alpha1';
const setRef = { apiVersion, kind: 'ApplicationSet', namespace, name: 'shop' };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let config: Config;
let git: GitTool;

beforeAll(async () => {
  folder = await temporaryFolder();
  config = readConfig(
    { dataDir: join(folder.path, 'data') },
    { PATH: process.env.PATH ?? '', HOME: folder.path },
  );
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  git = await findTool(ctx, 'git', { searchPath: config.searchPath, cacheDir: config.toolsDir });
});
afterAll(() => folder?.remove());

const setOf = (names: readonly string[], limit: number): KubeObject =>
  ({
    apiVersion,
    kind: 'ApplicationSet',
    metadata: { name: 'shop', namespace },
    spec: {
      generators: [{ list: { elements: names.map((env) => ({ env })) } }],
      template: {
        metadata: { name: 'shop-{{env}}' },
        spec: {
          project: 'default',
          revisionHistoryLimit: limit,
          source: { repoURL: 'https://example.com/shop', path: '{{env}}', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
      syncPolicy: { preserveResourcesOnDeletion: true },
    },
  }) as KubeObject;

/** One process; `transport` may end it. */
async function live(
  transport: Transport,
  end: AbortController,
  until: (apps: readonly Application[], set: ApplicationSet | undefined) => boolean,
): Promise<void> {
  const ctx: Ctx = { signal: end.signal, log: silent, clock: realClock };
  const knowledge = await openSharedCaches(createKubeClient({ transport }), config, git);
  const running = runAll(ctx, [...knowledge.tasks, setControllerOn(knowledge)]).catch(() => {});
  const isOver = () => until(knowledge.apps.list(), knowledge.sets.get(namespace, 'shop'));
  while (!end.signal.aborted && !isOver()) await sleep(2);
  end.abort();
  await running;
  await knowledge.close();
}

const isUpToDate = (limit: number, count: number) => (apps: readonly Application[], set?: ApplicationSet) =>
  apps.length === count &&
  apps.every(({ spec }) => spec.revisionHistoryLimit === limit) &&
  set?.status?.resourcesCount === count;

test.each(Array.from({ length: 12 }, (_, at) => at))(
  'killed at write %i of a pass, before or after it was carried out',
  async (at) => {
    const cluster = await createCluster({ store: memoryStore(), clock: realClock });
    const kube = createKubeClient({ transport: cluster.handle });
    const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
    const { definitions, knownHosts } = shipped;
    await bootstrap(ctx, kube, { namespace, definitions, knownHosts, cm: {} });
    await kube.create(ctx, setOf(['a', 'b', 'c', 'd'], 1));
    await live(cluster.handle, new AbortController(), isUpToDate(1, 4));

    await kube.apply(ctx, setOf(['c', 'd', 'e', 'f', 'g'], 2), { fieldManager: 'test', force: true });
    const end = new AbortController();
    let writes = 0;
    const dying: Transport = async (request, ...rest) => {
      if (end.signal.aborted) throw new Error('the process is dead');
      const isWrite = request.method !== 'GET';
      if (!isWrite || writes++ !== at) return cluster.handle(request, ...rest);
      if (at % 2 === 1) await cluster.handle(request, ...rest);
      end.abort();
      throw new Error('the process is dead');
    };
    await live(dying, end, isUpToDate(2, 5));

    await live(cluster.handle, new AbortController(), isUpToDate(2, 5));
    const { items } = await kube.list(ctx, { apiVersion, kind: 'Application', namespace });
    const owner = (await kube.get(ctx, setRef)).metadata.uid;
    expect(
      items.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.map(({ uid }) => uid)]),
    ).toEqual(['c', 'd', 'e', 'f', 'g'].map((name) => [`shop-${name}`, [owner]]));
    await cluster.close();
  },
);
