import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Application, type AppProject, asKubeObject, type KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { projectController } from './controller.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'default';
let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const file of ['application', 'app-project']) {
    const definition = asKubeObject(parse(readFileSync(`deploy/crds/${file}.yaml`, 'utf8')), file);
    await kube.apply(ctx, definition, { fieldManager: 'test', force: true });
  }
  const projects = new Informer<AppProject>(kube, { apiVersion, kind: 'AppProject', namespace });
  const apps = new Informer<Application>(kube, { apiVersion, kind: 'Application', namespace });
  running = runAll(ctx, [
    projectController({ kube, projects, apps, namespace }),
    (inner) => projects.run(inner),
    (inner) => apps.run(inner),
  ]);
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => {});
  await cluster.close();
});

const project = (name: string): Promise<KubeObject> =>
  kube.create(ctx, {
    apiVersion,
    kind: 'AppProject',
    metadata: {
      name,
      namespace,
      finalizers: ['resources-finalizer.argocd.argoproj.io', 'example.com/other'],
    },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  } as KubeObject);
const application = (name: string, owner: string): Promise<KubeObject> =>
  kube.create(ctx, {
    apiVersion,
    kind: 'Application',
    metadata: { name, namespace },
    spec: {
      project: owner,
      source: { repoURL: 'https://h/r', path: '.' },
      destination: { server: 'https://k' },
    },
  } as KubeObject);
const find = (kind: string, name: string) => kube.find(ctx, { apiVersion, kind, namespace, name });
const finalizersOf = async (name: string) => (await find('AppProject', name))?.metadata.finalizers;

test('P-3: the project default is made, and made again when somebody deletes it', async () => {
  await expect.poll(() => find('AppProject', 'default')).toBeDefined();
  const first = (await find('AppProject', 'default'))?.metadata.uid;
  await kube.delete(ctx, { apiVersion, kind: 'AppProject', namespace, name: 'default' });
  await expect.poll(async () => (await find('AppProject', 'default'))?.metadata.uid ?? first).not.toBe(first);
});

test('P-4: a project goes when the last application that uses it has gone, and others’ finalizers stay', async () => {
  await project('shop');
  await application('web', 'shop');
  await kube.delete(ctx, { apiVersion, kind: 'AppProject', namespace, name: 'shop' });
  await application('other', 'default');
  expect(await finalizersOf('shop')).toHaveLength(2);
  await kube.delete(ctx, { apiVersion, kind: 'Application', namespace, name: 'web' });
  await expect.poll(() => finalizersOf('shop')).toEqual(['example.com/other']);
});
