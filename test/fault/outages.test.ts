import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKubeClient } from '#kube';
import { finalizer, type KubeObject } from '#model';
import { Commits, cacheOf, Life, type LifeOptions } from './control-plane.ts';
import { config, shop } from './shop.ts';
import { furnished, home, Stage } from './stage.ts';

let stage: Stage;
let repo: Commits;
let life: Life | undefined;

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  repo = new Commits();
});
afterEach(async () => {
  await life?.end();
  await stage.close();
});

const by = { manager: 'jane' };
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'shop' };
const begin = (more: Partial<LifeOptions> = {}): void => {
  life = new Life(stage, { generate: repo.generate, ...more });
};
const isSynced = (): boolean => stage.app('shop')?.status?.sync?.status === 'Synced';
const names = (): string[] =>
  stage
    .list('v1', 'ConfigMap', 'shop')
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt');

test('attack 31: a repository that is away for an hour is told of, nothing is pruned, and a look finds it back at once', async () => {
  repo.commit([config('a', '1'), config('b', '1')]);
  begin();
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', isSynced);
  const left = stage.clock.now().getTime();
  repo.away = 'repository https://git.example/shop cannot be reached: connection refused';
  await stage.clock.advance(3_600_000);
  const { sync, conditions = [] } = stage.app('shop')?.status ?? {};
  expect(sync?.status).toBe('Unknown');
  expect(conditions).toMatchObject([
    { type: 'ComparisonError', message: expect.stringContaining(repo.away) },
  ]);
  // since when: from the first failure that was told, not from the last
  const since = Date.parse(String(conditions[0]?.lastTransitionTime)) - left;
  expect(since).toBeLessThan(15 * 60_000);
  expect(names()).toEqual(['a', 'b']);

  repo.away = undefined;
  repo.commit([config('a', '2'), config('b', '1')]);
  const back = stage.clock.now().getTime();
  const annotations = { 'argocd.argoproj.io/refresh': 'normal' };
  await stage.cluster.objects.patch(ref, { type: 'merge', body: { metadata: { annotations } } }, by);
  await stage.until(
    'synced again',
    () => isSynced() && stage.app('shop')?.status?.sync?.revision === repo.head,
    1000,
  );
  expect(stage.clock.now().getTime() - back).toBeLessThanOrEqual(1000);
  expect(stage.app('shop')?.status?.conditions ?? []).toEqual([]);
});

test('attack 32: a cluster that accepts everything and answers nothing delays nobody who is elsewhere', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hung', namespace: home, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 'hung', server: 'https://hung.example', config: '{}' },
  } as KubeObject;
  await stage.cluster.objects.create(secret, by);
  const destination = { server: 'https://hung.example', namespace: 'shop' };
  for (let index = 0; index < 60; index++)
    await stage.cluster.objects.create(shop({ destination }, `hung-${index}`), by);
  repo.commit([config('a', '1')]);
  begin({
    open: () => {
      const kube = createKubeClient({
        transport: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      });
      return { kube, cache: cacheOf(kube), close: () => {} };
    },
  });
  await stage.quiet();
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', isSynced, 1000);
});

test('attack 33: what somebody holds keeps the application until it is let go, and then both go', async () => {
  const held = config('held', '1');
  repo.commit([
    { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } },
    config('free', '1'),
  ]);
  begin();
  const app = shop();
  await stage.cluster.objects.create(
    { ...app, metadata: { ...app.metadata, finalizers: [finalizer.resources] } },
    by,
  );
  await stage.until('synced', isSynced);
  await stage.cluster.objects.remove(ref, {}, by);
  await stage.clock.advance(600_000);
  expect(names()).toEqual(['held']);
  expect(stage.app('shop')?.metadata.finalizers).toEqual([finalizer.resources]);
  const release = { metadata: { finalizers: null } };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'held' };
  await stage.cluster.objects.patch(object, { type: 'merge', body: release }, by);
  await stage.until('gone', () => stage.app('shop') === undefined, 60_000);
  expect(names()).toEqual([]);
});
