import { afterEach, beforeEach, expect, test } from 'vitest';
import { finalizer, type KubeObject } from '#base/model';
import { createKubeClient } from '#kubernetes/client';
import { Commits, cacheOf, Life, type LifeOptions } from './control-plane.ts';
import { config, deployment, shop } from './shop.ts';
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

test('attack 31: a repository that is away for an hour is told of with the age of what is shown, and nothing is pruned', async () => {
  repo.commit([config('a', '1'), config('b', '1'), deployment('web', 'web:1')]);
  begin({ reaches: repo.reaches });
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', isSynced);
  await stage.until('healthy', () => stage.app('shop')?.status?.health?.status === 'Healthy');
  const left = stage.clock.now().getTime();
  repo.remembers = true;
  repo.away = 'repository https://git.example/shop cannot be reached: connection refused';
  await stage.clock.advance(3_600_000);
  const { sync, conditions = [], resources = [], health } = stage.app('shop')?.status ?? {};
  expect(sync?.status).toBe('Unknown');
  expect(conditions).toMatchObject([
    { type: 'ComparisonError', message: expect.stringContaining(`source failure: ${repo.away}`) },
  ]);
  const known = /what is shown was known at (\S+), and nothing newer is applied or pruned/.exec(
    String(conditions[0]?.message),
  );
  expect(Date.parse(String(known?.[1])) - left).toBeLessThanOrEqual(0);
  expect(Date.parse(String(known?.[1])) - left).toBeGreaterThan(-300_000);
  // since when: from the first failure that was told, not from the last
  const since = Date.parse(String(conditions[0]?.lastTransitionTime)) - left;
  expect(since).toBeLessThan(15 * 60_000);
  expect(names()).toEqual(['a', 'b']);
  // the last known state is on show, and health is that of now
  expect(resources.map(({ name }) => name).sort()).toEqual(['a', 'b', 'web']);
  expect(health?.status).toBe('Healthy');
  // drift is healed with what is known, and that it is all that is known stays told
  await stage.cluster.objects.remove(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' },
    {},
    by,
  );
  await stage.until('healed', () => names().includes('a'));
  await stage.clock.advance(10_000);
  expect(stage.app('shop')?.status?.sync?.status).toBe('Unknown');
  expect(stage.app('shop')?.status?.conditions).toEqual(conditions);
  // one question every five seconds, and not one more however long it takes
  expect(repo.asked).toBeLessThanOrEqual(3600 / 5 + 1);
});

test('attack 31: drift is not healed with a revision that was compared with another spec', async () => {
  repo.commit([config('a', '1')]);
  begin({ reaches: repo.reaches });
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', isSynced);
  repo.remembers = true;
  repo.away = 'repository https://git.example/shop cannot be reached: connection refused';
  const source = { repoURL: '/repositories/shop', path: 'elsewhere' };
  await stage.cluster.objects.patch(ref, { type: 'merge', body: { spec: { source } } }, by);
  await stage.clock.advance(3_600_000);
  expect(stage.app('shop')?.status?.sync?.status).toBe('Unknown');
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
  await stage.cluster.objects.patch(object, { type: 'merge', body: { data: { value: 'drifted' } } }, by);
  await stage.clock.advance(60_000);
  expect(stage.cluster.objects.get(object)).toMatchObject({ data: { value: 'drifted' } });
});

test('attack 31: forty applications of a repository that comes back are all looked at within seconds', async () => {
  repo.commit([config('a', '1')]);
  const apps = Array.from({ length: 40 }, (_, index) => `shop-${index}`);
  begin({ reaches: repo.reaches });
  for (const name of apps) await stage.cluster.objects.create(shop({ syncPolicy: {} }, name), by);
  const statuses = () => apps.map((name) => stage.app(name)?.status);
  await stage.until('compared', () => statuses().every((status) => status?.sync?.revision === repo.head));
  repo.away = 'repository https://git.example/shop cannot be reached: connection refused';
  await stage.clock.advance(3_600_000);
  expect(new Set(statuses().map((status) => status?.sync?.status))).toEqual(new Set(['Unknown']));
  const asked = repo.asked;
  repo.away = undefined;
  repo.commit([config('a', '2')]);
  await stage.until(
    'compared again',
    () => statuses().every((status) => status?.sync?.revision === repo.head && !status.conditions?.length),
    6_000,
  );
  expect(repo.asked - asked).toBeLessThanOrEqual(2);
  await stage.clock.advance(60_000);
  expect(repo.asked - asked).toBeLessThanOrEqual(2); // and nobody asks any more
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
