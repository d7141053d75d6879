import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { memoryStore } from '#platform/store';
import { bootstrap } from '../src/main/bootstrap.ts';
import { readConfig, shipped } from '../src/main/config.ts';
import { setControllerOn } from '../src/main/set-controller.ts';
import { openSharedCaches } from '../src/main/shared-caches.ts';
import { cpuNow } from '../test/cpu-time.ts';
import { gitRepository, temporaryFolder } from '../test/git-repository.ts';
import type { Figure } from './harness.ts';

// A thousand applications from one git-file generator, then a thousand sets at rest, on the embedded cluster, with the controller
// of ApplicationSets alone.

const apps = 1_000;
const sets = 1_000;
const passes = 20;
const restMs = 20_000;
const namespace = 'argocd';
const set = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', namespace, name: 'fleet' };

export async function figures(): Promise<Figure[]> {
  const folder = await temporaryFolder();
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: cluster.handle });
  const config = readConfig(
    { dataDir: join(folder.path, 'data') },
    { PATH: process.env.PATH ?? '', HOME: folder.path },
  );
  const git = await findTool(ctx, 'git', { searchPath: config.searchPath, cacheDir: config.toolsDir });
  await bootstrap(ctx, kube, {
    namespace,
    definitions: shipped.definitions,
    knownHosts: shipped.knownHosts,
    cm: {},
  });
  const knowledge = await openSharedCaches(kube, config, git);
  const took: number[] = [];
  const hooks = { onDone: (_key: string, ms: number) => void took.push(ms) };
  const running = runAll(ctx, [...knowledge.tasks, setControllerOn(knowledge, { hooks })]).catch(() => {});
  const repository = await gitRepository(join(folder.path, 'repository'));
  const fileOf = (at: number) => ({ [`apps/app-${at}/config.yaml`]: `name: app-${at}\nteam: red\n` });
  await repository.commit(Object.assign({}, ...Array.from({ length: apps }, (_, at) => fileOf(at))));
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<number> => {
    const began = performance.now();
    while (!(await isSo())) await sleep(1);
    return performance.now() - began;
  };
  const url = `file://${repository.dir}`;
  try {
    const before = cpuNow();
    await kube.create(ctx, fleetOf(url));
    const cold = await until(() => knowledge.apps.list().length === apps);
    const coldCpu = cpuNow() - before;
    await until(() => took.length > 0);
    await sleep(500);
    const unchanged: number[] = [];
    for (let pass = 0; pass < passes; pass++) {
      const before = took.length;
      await kube.patch(ctx, set, { type: 'merge', body: { metadata: { labels: { pass: String(pass) } } } });
      await until(() => took.length > before);
      unchanged.push(took.at(-1) ?? 0);
    }
    await repository.commit(fileOf(apps));
    const added = await until(() => knowledge.apps.list().length === apps + 1);
    const idle = await restingCpu(took);
    for (let at = 0; at < sets; at++) await kube.create(ctx, restingSet(at, url));
    await until(() => knowledge.apps.list().length === apps + 1 + sets);
    const resting = await restingCpu(took);
    return [
      { name: `${apps} applications from one generator, created`, value: cold, unit: 'ms', target: 5_000 },
      { name: 'the same in processor time', value: coldCpu, unit: 'ms', target: 5_000 },
      {
        name: 'an unchanged pass, median',
        value: unchanged.sort((a, b) => a - b)[passes / 2] ?? 0,
        unit: 'ms',
        target: 20,
      },
      { name: 'a file added, its application created', value: added, unit: 'ms', target: 300 },
      {
        name: `${sets} sets at rest, processor time`,
        value: Math.max(0, resting - idle),
        unit: 'ms/s',
        target: 10,
      },
    ];
  } finally {
    stop.abort();
    await running;
    await knowledge.close();
    await cluster.close();
    await folder.remove();
  }
}

/** Milliseconds of processor time in each second, once no pass has ended for three seconds. */
async function restingCpu(took: readonly number[]): Promise<number> {
  for (let before = -1; before !== took.length; await sleep(3_000)) before = took.length;
  const began = { cpu: cpuNow(), at: performance.now() };
  await sleep(restMs);
  return ((cpuNow() - began.cpu) * 1000) / (performance.now() - began.at);
}

const fleetOf = (repoURL: string): KubeObject =>
  setOf(repoURL, {
    name: set.name,
    generator: { git: { repoURL, revision: 'HEAD', files: [{ path: 'apps/*/config.yaml' }] } },
    application: '{{ .name }}',
    path: '{{ .path.path }}',
  });

/** One application each; every second set reads the repository. */
const restingSet = (at: number, repoURL: string): KubeObject =>
  setOf(repoURL, {
    name: `resting-${at}`,
    generator:
      at % 2 === 0
        ? { list: { elements: [{ team: 'red' }] } }
        : { git: { repoURL, revision: 'HEAD', files: [{ path: 'apps/app-1/config.yaml' }] } },
    application: `resting-${at}`,
    path: 'apps/app-1',
  });

type SetParts = {
  readonly name: string;
  readonly generator: object;
  readonly application: string;
  readonly path: string;
};

const setOf = (repoURL: string, { name, generator, application, path }: SetParts): KubeObject =>
  ({
    apiVersion: set.apiVersion,
    kind: set.kind,
    metadata: { name, namespace },
    spec: {
      goTemplate: true,
      generators: [generator],
      template: {
        metadata: { name: application, labels: { team: '{{ .team }}' } },
        spec: {
          project: 'default',
          source: { repoURL, path, targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: application },
        },
      },
    },
  }) as KubeObject;
