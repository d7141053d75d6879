import { join } from 'node:path';
import type { Application, KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { resolveDestination } from '#control/comparison';
import type { TrafficDeps, TrafficOrder } from '#control/traffic';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { memoryStore } from '#platform/store';
import { readConfig } from '../../src/main/config.ts';
import { openSharedCaches } from '../../src/main/shared-caches.ts';
import { eventually } from '../eventually.ts';
import { furnishedWithKnative, home } from '../fault/stage.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';

const knative = 'serving.knative.dev/v1';
const namespace = 'shop';
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

type Placed = { readonly app: Application } & Extract<
  ReturnType<typeof resolveDestination>,
  { readonly destination: unknown }
>;

/** What changes of traffic work on, wired as the program wires it, beside a repository and a cluster where nothing else happens. */
export type TrafficPlane = {
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  readonly deps: TrafficDeps;
  readonly repository: GitRepositoryFixture;
  /** Creates an application of the folder of its name; `more` goes into its spec. */
  begin(name: string, more?: object): Promise<Placed>;
  /** A Service in the cluster with the ready Revisions `-v1` and `-v2`, all its traffic at the first, as an application tracks it. */
  deployed(name: string, owner?: string): Promise<void>;
  find(kind: 'Service' | 'Application', name: string): Promise<KubeObject>;
  stop(): Promise<void>;
};

export async function startTrafficPlane(): Promise<TrafficPlane> {
  const folder = await temporaryFolder();
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const from = await furnishedWithKnative();
  const cluster = await createCluster({ store: memoryStore(), clock: realClock, from });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path };
  const config = readConfig({ dataDir: join(folder.path, 'data') }, env);
  const places = { searchPath: config.searchPath, cacheDir: config.toolsDir };
  const caches = await openSharedCaches(kube, config, await findTool(ctx, 'git', places));
  const running = runAll(ctx, caches.tasks).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await caches.whenSynced(ctx);
  const repository = await gitRepository(join(folder.path, 'repository'));
  await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const { context, sources, repositories, apps } = caches;
  const writerOf: TrafficDeps['writerOf'] = (url, project) => repositories.findWriter(url, project);
  const apply = (object: KubeObject) => kube.apply(ctx, object, { fieldManager: 'test', force: true });
  const refOf = (kind: 'Service' | 'Application', name: string) =>
    kind === 'Service'
      ? { apiVersion: knative, kind, namespace, name }
      : { apiVersion: 'argoproj.io/v1alpha1', kind, namespace: home, name };
  return {
    ...{ ctx, kube, repository, deps: { context, kube, sources, writerOf } },
    begin: async (name, more = {}) => {
      await apply({
        ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace: home } },
        spec: {
          project: 'default',
          source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace },
          ...more,
        },
      });
      const app = await eventually(() => {
        const found = apps.get(home, name);
        if (!found) throw new Error(`${name} is not known yet`);
        return found;
      });
      const placed = resolveDestination(context, app);
      if (!('destination' in placed)) throw new Error(JSON.stringify(placed.conditions));
      await placed.destination.cluster.cache.whenSynced(ctx);
      return { app, destination: placed.destination };
    },
    deployed: async (name, owner = name) => {
      const [first, second] = [`${name}-v1`, `${name}-v2`];
      const tracking = {
        'argocd.argoproj.io/tracking-id': `${owner}:serving.knative.dev/Service:${namespace}/${name}`,
      };
      const traffic = [{ revisionName: first, percent: 100 }];
      const template = { spec: { containers: [{ image: `${name}:2` }] } };
      for (const [revision, at] of [first, second].map((one, index) => [one, index + 1] as const)) {
        const labels = {
          'serving.knative.dev/service': name,
          'serving.knative.dev/configurationGeneration': `${at}`,
        };
        const object = {
          apiVersion: knative,
          kind: 'Revision',
          metadata: { name: revision, namespace, labels },
        };
        const made = await apply({ ...object, spec: template.spec } as KubeObject);
        await kube.updateStatus(ctx, { ...made, status: ready } as KubeObject);
      }
      const made = await apply({
        ...{ apiVersion: knative, kind: 'Service', metadata: { name, namespace, annotations: tracking } },
        spec: { template, traffic },
      } as KubeObject);
      const status = { ...ready, observedGeneration: 1, traffic, latestReadyRevisionName: second };
      await kube.updateStatus(ctx, { ...made, status } as KubeObject);
    },
    find: (kind, name) => kube.get(ctx, refOf(kind, name)),
    stop: async () => {
      stop.abort(new Error('the test is over'));
      await running;
      await caches.close();
      await cluster.close();
      await folder.remove();
    },
  };
}

/** A request as a user makes it. */
export const orderFor = (more: Partial<TrafficOrder> = {}): TrafficOrder => ({
  intent: { action: 'promote', to: 'latest-ready' },
  mode: 'commit',
  reason: 'a test',
  by: 'ann',
  ...more,
});
