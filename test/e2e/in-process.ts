import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, KubeObject, Operation } from '#base/model';
import { type Ctx, realClock, runAll, silent, virtualClock } from '#base/std';
import { applicationController, createEventRecorder, projectController } from '#control/controllers';
import { createCluster, type EmbeddedCluster, runSimulation } from '#embedded';
import { createKubeClient, type KubeClient, type ObjectRef } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { memoryStore } from '#platform/store';
import { isWithin } from '#sources/repositories';
import { bootstrap } from '../../src/main/bootstrap.ts';
import { readConfig, shipped } from '../../src/main/config.ts';
import { reaches } from '../../src/main/probe-repository.ts';
import { setControllerOn } from '../../src/main/set-controller.ts';
import { openSharedCaches } from '../../src/main/shared-caches.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';

/** Real time in which the programs that we start get their work done, and what passes meanwhile where nobody waits for them. */
const tickMs = 4;
const passesMs = 80;
const patienceMs = 60_000;

/** The controllers on an embedded cluster, in this process, on a clock that runs twenty times as fast as ours. */
export type Plane = {
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  readonly cluster: EmbeddedCluster;
  /** A repository on this machine; commits to it are seen at once. */
  readonly repository: GitRepositoryFixture;
  readonly url: string;
  apply(...objects: readonly KubeObject[]): Promise<void>;
  app(name: string, namespace?: string): Promise<Application>;
  /** Asks for an operation, as the server does. */
  request(name: string, operation: Operation): Promise<void>;
  /** Merges fields into an application. */
  edit(name: string, fields: object): Promise<void>;
  /** Waits until something is true; fails with the last answer when it never is. */
  until<T>(what: string, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T>;
  untilApp(name: string, what: string, isSo: (app: Application) => boolean): Promise<Application>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  find(ref: ObjectRef): Promise<KubeObject | undefined>;
  /** Ends the controllers and starts them again on the same data folder; `between` runs between the two. */
  restart(between?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

type PlaneOptions = {
  readonly cm?: Readonly<Record<string, string>>;
  readonly start?: Date;
};

export async function startPlane({ cm = {}, start }: PlaneOptions = {}): Promise<Plane> {
  const folder = await temporaryFolder();
  const clock = virtualClock({ start: start ?? new Date('2026-06-03T10:00:00Z') });
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock });
  const kube = createKubeClient({ transport: cluster.handle });
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path };
  const config = readConfig({ dataDir: join(folder.path, 'data') }, env);
  const git = await findTool({ ...ctx, clock: realClock }, 'git', {
    searchPath: config.searchPath,
    cacheDir: config.toolsDir,
  });
  const turning = turn(clock, stop.signal);
  const { definitions, knownHosts } = shipped;
  await bootstrap(ctx, kube, { namespace: 'argocd', definitions, knownHosts, cm });
  const begin = async () => begun(ctx, cluster, await openSharedCaches(kube, config, git));
  let life = await begin();
  const repository = await gitRepository(join(folder.path, 'repository'));
  const plane = planeOn({ ctx, kube, cluster, repository, url: `file://${repository.dir}` });
  return {
    ...plane,
    restart: async (between = async () => {}) => {
      await life.end();
      await between();
      life = await begin();
    },
    stop: async () => {
      await life.end();
      stop.abort(new Error('the test is over'));
      await turning;
      await cluster.close();
      await folder.remove();
    },
  };
}

/** Runs the controllers until `end` is called. */
function begun(outer: Ctx, cluster: EmbeddedCluster, knowledge: Knowledge) {
  const stop = new AbortController();
  const ctx: Ctx = { ...outer, signal: stop.signal };
  const running = run(ctx, cluster, knowledge).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    end: async (): Promise<void> => {
      stop.abort(new Error('the process ends'));
      await running;
      await knowledge.close();
    },
  };
}

type Knowledge = Awaited<ReturnType<typeof openSharedCaches>>;

async function run(ctx: Ctx, cluster: EmbeddedCluster, knowledge: Knowledge): Promise<void> {
  const { kube, apps, clusters, context, sources, settings, projects, repositories, comparisons } = knowledge;
  const controller = applicationController(
    {
      ...{ kube, clusters, context, comparisons, informer: apps, satisfies: isWithin },
      watchRepository: (inner, url) => sources.watchLocal(inner, { url }),
      projectChanges: (inner) => projects.changes(inner),
      settingsChanges: (inner) => settings.changes(inner),
      repositoryChanges: (inner) => repositories.changes(inner),
      trustChanges: (inner) => settings.dataChanges(inner),
      reaches: (inner, source, project) => reaches(inner, knowledge, source, project),
      events: createEventRecorder({ kube, component: 'argocd-application-controller' }),
    },
    { statusWorkers: 20, operationWorkers: 10 },
  );
  await runAll(ctx, [
    (inner) => runSimulation(inner, cluster.objects, {}),
    ...knowledge.tasks,
    projectController({ kube, projects, apps, namespace: context.namespace }),
    setControllerOn(knowledge),
    async (inner) => {
      await knowledge.whenSynced(inner);
      await controller(inner);
    },
  ]);
}

/** Time passes, slowly enough for git and the disk to keep up. */
async function turn(clock: ReturnType<typeof virtualClock>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.advance(passesMs);
    await sleep(tickMs);
  }
}

const appRef = (name: string, namespace = 'argocd') => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace,
  name,
});

type Parts = Pick<Plane, 'ctx' | 'kube' | 'cluster' | 'repository' | 'url'>;

function planeOn(parts: Parts): Omit<Plane, 'restart' | 'stop'> {
  const { ctx, kube } = parts;
  const app = async (name: string, namespace?: string) =>
    (await kube.get(ctx, appRef(name, namespace))) as Application;
  const edit = async (name: string, body: object) => {
    await kube.patch(ctx, appRef(name), { type: 'merge', body });
  };
  return {
    ...parts,
    app,
    edit,
    apply: async (...objects) => {
      for (const object of objects) await kube.apply(ctx, object, { fieldManager: 'test', force: true });
    },
    request: (name, operation) => edit(name, { operation }),
    until,
    untilApp: (name, what, isSo) => until(`${name} is ${what}`, () => app(name), isSo),
    pass: (ms) => ctx.clock.sleep(ms, ctx.signal),
    find: (ref) => kube.find(ctx, ref),
  };
}

async function until<T>(what: string, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const began = performance.now();
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() - began > patienceMs)
      throw new Error(`it was never so that ${what}; last seen: ${JSON.stringify(seen, null, 1)}`);
    await sleep(tickMs);
  }
}

export const isSettled = ({ status, operation }: Application): boolean =>
  !operation && status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';

export const configMap = (name: string, data: Record<string, string>, more: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data }) as KubeObject;

/** An application of the plane's repository. */
export function appOf(plane: Plane, name: string, spec: Partial<Application['spec']> = {}): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: plane.url, path: name, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      ...spec,
    },
  };
}
