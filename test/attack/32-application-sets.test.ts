import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApplicationSet, KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { memoryStore } from '#platform/store';
import { bootstrap } from '../../src/main/bootstrap.ts';
import { type Config, readConfig, shipped } from '../../src/main/config.ts';
import type { GitTool } from '../../src/main/open-sources.ts';
import { setControllerOn } from '../../src/main/set-controller.ts';
import { openSharedCaches } from '../../src/main/shared-caches.ts';
import { temporaryFolder } from '../git-repository.ts';

// Attack 32: hundreds of sets whose generators hang, all of one project or of one host, stop no other set.

const namespace = 'argocd';
const apiVersion = 'argoproj.io/v1alpha1';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let config: Config;
let git: GitTool;

beforeAll(async () => {
  folder = await temporaryFolder();
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path };
  config = readConfig({ dataDir: join(folder.path, 'data') }, env);
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  git = await findTool(ctx, 'git', { searchPath: config.searchPath, cacheDir: config.toolsDir });
});
afterAll(() => folder?.remove());

const setOf = (name: string, generator: object, project: string): KubeObject =>
  ({
    apiVersion,
    kind: 'ApplicationSet',
    metadata: { name, namespace },
    spec: {
      generators: [generator],
      template: {
        metadata: { name: `${name}-{{env}}` },
        spec: {
          project,
          source: { repoURL: 'https://example.com/shop', path: '.', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
    },
  }) as KubeObject;

const many = 450;
const gitOf = (host: string) => ({
  git: { repoURL: `https://${host}/r`, revision: 'HEAD', directories: [{ path: '*' }] },
});
const giteaOf = (host: string) => ({ scmProvider: { gitea: { owner: 'o', api: `https://${host}/` } } });
const pluginOf = (name: string) => ({ plugin: { configMapRef: { name } } });

test.each<[string, number, (at: number) => [generator: object, project: string]]>([
  ['git generators of one project', 200, (at) => [gitOf(`h${at}.example`), 'default']],
  ['git generators of one host', 100, (at) => [gitOf('h.example'), `p${at}`]],
  ['SCM generators of one host', 100, (at) => [giteaOf('h.example'), `p${at}`]],
  ['plugins of one service', 100, (at) => [pluginOf('inventory'), `p${at}`]],
  [
    'git generators within matrix generators',
    100,
    (at) => [{ matrix: { generators: [gitOf('h.example'), { list: { elements: [{}] } }] } }, `p${at}`],
  ],
])('hundreds of hanging %s leave the others their workers', async (_what, most, hangingAt) => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: cluster.handle });
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const { definitions, knownHosts } = shipped;
  await bootstrap(ctx, kube, { namespace, definitions, knownHosts, cm: {} });
  for (let at = 0; at < many; at++) await kube.create(ctx, setOf(`hung-${at}`, ...hangingAt(at)));
  const caches = await openSharedCaches(kube, config, git);
  const hanging = new Set<string>();
  const evaluator: Pick<typeof caches.evaluator, 'evaluate' | 'forget'> = {
    forget: (key) => caches.evaluator.forget(key),
    evaluate: (inner, key, set, options) => {
      if (!set.metadata.name.startsWith('hung-')) return caches.evaluator.evaluate(inner, key, set, options);
      hanging.add(key);
      return new Promise((_resolve, reject) => {
        inner.signal.addEventListener('abort', () => reject(inner.signal.reason));
      });
    },
  };
  const controller = setControllerOn({ ...caches, evaluator } as typeof caches);
  const running = runAll(ctx, [...caches.tasks, controller]).catch(() => {});
  while (hanging.size < most) await sleep(5);
  await kube.create(ctx, setOf('innocent', { list: { elements: [{ env: 'dev' }] } }, 'default'));
  const isServed = (): boolean => {
    const set: ApplicationSet | undefined = caches.sets.get(namespace, 'innocent');
    return set?.status?.resourcesCount === 1;
  };
  while (!isServed()) await sleep(5);
  expect(hanging.size).toBe(most);
  stop.abort();
  await running;
  await caches.close();
  await cluster.close();
});
