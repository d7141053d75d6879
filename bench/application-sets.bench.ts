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
import { openKnowledge } from '../src/main/knowledge.ts';
import { setControllerOn } from '../src/main/set-controller.ts';
import { gitRepository, temporaryFolder } from '../test/git-repository.ts';
import type { Figure } from './harness.ts';

// A thousand applications from one git-file generator, on the embedded cluster, with the controller of ApplicationSets alone.

const apps = 1_000;
const passes = 20;
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
  const knowledge = await openKnowledge(kube, config, git);
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
  try {
    await kube.create(ctx, fleetOf(`file://${repository.dir}`));
    const cold = await until(() => knowledge.apps.list().length === apps);
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
    return [
      { name: `${apps} applications from one generator, created`, value: cold, unit: 'ms', target: 5_000 },
      {
        name: 'an unchanged pass, median',
        value: unchanged.sort((a, b) => a - b)[passes / 2] ?? 0,
        unit: 'ms',
        target: 20,
      },
      { name: 'a file added, its application created', value: added, unit: 'ms', target: 300 },
    ];
  } finally {
    stop.abort();
    await running;
    await knowledge.close();
    await cluster.close();
    await folder.remove();
  }
}

const fleetOf = (repoURL: string): KubeObject =>
  ({
    apiVersion: set.apiVersion,
    kind: set.kind,
    metadata: { name: set.name, namespace },
    spec: {
      goTemplate: true,
      generators: [{ git: { repoURL, revision: 'HEAD', files: [{ path: 'apps/*/config.yaml' }] } }],
      template: {
        metadata: { name: '{{ .name }}', labels: { team: '{{ .team }}' } },
        spec: {
          project: 'default',
          source: { repoURL, path: '{{ .path.path }}', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: '{{ .name }}' },
        },
      },
    },
  }) as KubeObject;
