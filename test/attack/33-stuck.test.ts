import { afterEach, beforeEach, expect, test } from 'vitest';
import { finalizer, type KubeObject } from '#base/model';
import type { Transport } from '#kubernetes/client';
import { Commits, Life } from '../fault/control-plane.ts';
import { HookCount } from '../fault/outcome.ts';
import { chapters, config, hook, play, shop } from '../fault/shop.ts';
import { furnished, home, Stage } from '../fault/stage.ts';

// Definitions that come and go under an application, hooks that the cluster deletes, and two controllers at one. Finalizers that
// hold and clusters that are gone are in test/fault.

let stage: Stage;
let repo: Commits;
let lives: Life[];

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  repo = new Commits();
  lives = [];
});
afterEach(async () => {
  for (const life of lives) await life.end();
  await stage.close();
});

const by = { manager: 'jane' };
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'shop' };
const begin = (): void => {
  lives.push(new Life(stage, { generate: repo.generate, watch: (ctx) => repo.watch(ctx) }));
};
const isSettled = (): boolean => {
  const { operation, status } = stage.app('shop') ?? {};
  return !operation && status?.sync?.status === 'Synced' && status.sync.revision === repo.head;
};

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const widget = (name: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'shop' },
  spec: { size: 1 },
});
const stored = (): readonly KubeObject[] => {
  try {
    return stage.list('example.com/v1', 'Widget', 'shop');
  } catch {
    return []; // not served
  }
};
const widgets = (): string[] => stored().map(({ metadata }) => metadata.name);
const uids = (): string[] => stored().map(({ metadata }) => metadata.uid ?? '');
const crd = {
  apiVersion: definition.apiVersion,
  kind: definition.kind,
  name: definition.metadata.name,
};

async function deployed(): Promise<void> {
  const app = shop();
  const metadata = { ...app.metadata, finalizers: [finalizer.resources] };
  await stage.cluster.objects.create({ ...app, metadata }, by);
  await stage.until('synced', isSettled, 120_000);
}

test('a definition that somebody deletes takes its objects along; both are made again, and again (T-17)', async () => {
  repo.commit([definition, widget('a'), widget('b')]);
  begin();
  await deployed();
  expect(widgets()).toEqual(['a', 'b']);
  for (let time = 0; time < 3; time++) {
    const before = uids();
    await stage.cluster.objects.remove(crd, {}, by);
    const areNew = (): boolean => uids().length === 2 && !uids().some((uid) => before.includes(uid));
    await stage.until('made again', () => areNew() && isSettled(), 60_000);
  }
});

test('what Git no longer declares is pruned, and the definition of it stays: nobody may lose objects by one commit (T-4)', async () => {
  repo.commit([definition, widget('a')]);
  begin();
  await deployed();
  repo.commit([]);
  // an application that would be empty is not emptied by itself
  await stage.clock.advance(60_000);
  expect(widgets()).toEqual(['a']);
  const operation = { sync: { prune: true }, initiatedBy: { username: 'jane' } };
  await stage.cluster.objects.patch(ref, { type: 'merge', body: { operation } }, by);
  await stage.until('synced', isSettled, 120_000);
  expect(widgets()).toEqual([]);
  expect(stage.list(crd.apiVersion, crd.kind).map(({ metadata }) => metadata.name)).toContain(crd.name);
});

test('an application whose definition is gone already can be deleted', async () => {
  repo.commit([definition, widget('a')]);
  begin();
  await deployed();
  await stage.cluster.objects.patch(ref, { type: 'merge', body: { spec: { syncPolicy: null } } }, by);
  await stage.cluster.objects.remove(crd, {}, by);
  await stage.clock.advance(10_000);
  await stage.cluster.objects.remove(ref, {}, by);
  await stage.until('gone', () => stage.app('shop') === undefined, 60_000);
});

test('a hook Job that the cluster deletes as soon as it ends is read before, and runs once (#21055)', async () => {
  const count = new HookCount(stage, () => repo.head);
  repo.commit([hook('migrate', { type: 'PreSync', ttl: 0, runFor: '1s' }), config('settings', '1')]);
  begin();
  await deployed();
  expect(stage.app('shop')?.status?.operationState?.phase).toBe('Succeeded');
  await stage.clock.advance(60_000);
  expect(stage.list('batch/v1', 'Job', 'shop')).toEqual([]);
  expect(Object.values(await count.end())).toEqual([1]);
});

test('two controllers at one application come to rest, and so does the cluster', async () => {
  const count = new HookCount(stage, () => repo.head);
  const requests: string[] = [];
  const transport: Transport = (request) => {
    if (request.method !== 'GET') requests.push(`${request.method} ${request.path}`);
    return stage.transport(request);
  };
  for (let one = 0; one < 2; one++)
    lives.push(new Life(stage, { generate: repo.generate, watch: (ctx) => repo.watch(ctx), transport }));
  for (const chapter of chapters.filter(({ phase }) => phase === 'Succeeded'))
    await play(stage, repo, chapter);
  requests.length = 0;
  await stage.clock.advance(1_800_000);
  const writes = requests.filter((line) => !line.includes('/events') && !line.includes('/applications/'));
  expect(writes).toEqual([]);
  await count.end();
  expect(count.repeated).toEqual([]);
});
