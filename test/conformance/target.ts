import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ctx, isObject, type JsonObject, parseJson, realClock, silent } from '#base/std';
import type { Objects } from '#embedded';
import { loadKubeconfig, networkTransport, type Transport } from '#kubernetes/client';
import { readText } from './stream.ts';

export type Need = 'controllers' | 'knative' | 'rbac';

/** Who asks: the administrator of the kubeconfig, or somebody with no credentials at all. */
export type Asker = 'admin' | 'nobody';

/** The cluster that the cases are played on. */
export type Target = {
  /** Somebody else's Kubernetes: its answers are the truth, and only they are recorded. */
  readonly isReal: boolean;
  readonly ctx: Ctx;
  /** For programs that speak to it themselves. */
  readonly kubeconfig: string;
  readonly transport: Readonly<Record<Asker, Transport>>;
  /** Names of its nodes, which differ from cluster to cluster. */
  readonly nodes: readonly string[];
  has(need: Need): boolean;
  close(): Promise<void>;
};

/** The cluster of FAIRLEAD_TEST_KUBECONFIG; without it an embedded one of our own, over HTTPS like any other. */
export async function openTarget(kubeconfig = process.env.FAIRLEAD_TEST_KUBECONFIG): Promise<Target> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cleanups: (() => unknown)[] = [];
  const path = kubeconfig || (await startEmbedded(ctx, cleanups));
  const access = await loadKubeconfig(ctx, { files: [path] });
  const transport = { admin: networkTransport(access), nobody: networkTransport({ ...access, user: {} }) };
  cleanups.push(
    () => transport.admin.close(),
    () => transport.nobody.close(),
  );
  const nodes = namesIn(await read(ctx, transport.admin, '/api/v1/nodes'));
  const groups = namesIn(await read(ctx, transport.admin, '/apis'));
  const abilities: Record<Need, boolean> = {
    controllers: true,
    knative: groups.includes('serving.knative.dev'),
    rbac: true,
  };
  return {
    isReal: Boolean(kubeconfig),
    ctx,
    kubeconfig: path,
    transport,
    nodes,
    has: (need) => abilities[need],
    async close() {
      stop.abort(new Error('the suite is over'));
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
  };
}

async function startEmbedded(ctx: Ctx, cleanups: (() => unknown)[]): Promise<string> {
  // loaded only when it is played on: a real cluster needs none of it
  const { createCluster, listen } = await import('#embedded');
  const { admitKnative, createPodLogs, installDefinitions, runSimulation } = await import('#embedded');
  const { memoryStore } = await import('#platform/store');
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
  cleanups.push(() => rm(dir, { recursive: true }));
  let objects: Objects | undefined;
  const cluster = await createCluster({
    store: memoryStore(),
    clock: realClock,
    authorization: 'rbac',
    webhooks: admitKnative,
    podLogs: createPodLogs(() => objects, realClock),
  });
  objects = cluster.objects;
  cleanups.push(() => cluster.close());
  await installDefinitions(cluster.objects);
  const listener = await listen(ctx, cluster, { port: 0, dir });
  cleanups.push(() => listener.close());
  const simulation = runSimulation(ctx, cluster.objects, { runForMs: 50 });
  cleanups.push(() => simulation.catch(() => {}));
  return listener.kubeconfigPath;
}

async function read(ctx: Ctx, transport: Transport, path: string): Promise<unknown> {
  const { signal } = ctx;
  const { body } = await transport({ method: 'GET', path, headers: {}, signal });
  return parseJson(await readText(body));
}

/** The names of what a list holds: objects, or groups. */
function namesIn(list: unknown): string[] {
  const { items, groups } = list as Record<string, JsonObject[] | undefined>;
  return (items ?? groups ?? []).map((item) =>
    String(isObject(item.metadata) ? item.metadata.name : item.name),
  );
}
