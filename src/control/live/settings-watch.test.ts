import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Settings } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { ClusterCache } from './cluster-cache.ts';
import { SettingsWatch } from './settings-watch.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<unknown>[];
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'argocd-cm' };

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster.close();
});

const configure = (data: Record<string, string | null>) =>
  kube.patch(ctx, ref, { type: 'merge', body: { data } });

async function started(): Promise<SettingsWatch> {
  await kube.create(ctx, { apiVersion: ref.apiVersion, kind: ref.kind, metadata: ref });
  const watch = new SettingsWatch({ kube, namespace: 'default' });
  running.push(watch.run(ctx));
  await watch.whenSynced(ctx);
  return watch;
}

test('a change is told once, with both sides, and a rewrite that says the same is none', async () => {
  const watch = await started();
  const told: [Settings, Settings][] = [];
  running.push(
    (async () => {
      for await (const { before, after } of watch.changes(ctx)) told.push([before, after]);
    })(),
  );
  await configure({ url: 'https://one.example' });
  await expect.poll(() => told.length).toBe(1);
  await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await configure({ url: 'https://two.example' });
  await expect.poll(() => watch.current.url).toBe('https://two.example');
  await expect.poll(() => told.length).toBe(2);
  const first = told[0]?.[1];
  expect(first?.url).toBe('https://one.example');
  expect(told[1]?.[0]).toBe(first);
  expect(told[1]?.[1]).toBe(watch.current);
});

test('server §0: settings without the label of Argo CD are read, and the log says once that Argo CD ignores them', async () => {
  const lines: object[] = [];
  const warn = (message: string, fields?: object) => {
    if (message.includes('has no label')) lines.push(fields ?? {});
  };
  ctx = { ...ctx, log: { ...silent, warn } };
  const watch = await started();
  await configure({ url: 'https://one.example' });
  await expect.poll(() => watch.current.url).toBe('https://one.example');
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const create = (name: string, more: object) =>
    kube.create(ctx, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', ...more },
    });
  await create('argocd-tls-certs-cm', { labels });
  await create('team-settings', {});
  await create('argocd-rbac-cm', {});
  await expect.poll(() => lines).toEqual([{ configMap: 'argocd-cm' }, { configMap: 'argocd-rbac-cm' }]);
});

test('T-21: redrawn, a cluster is watched by the exclusions of now', async () => {
  let excluded = '';
  const isExcluded = (_group: string, kind: string) => kind === excluded;
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded });
  running.push(cache.run(ctx));
  await cache.whenSynced(ctx);
  expect(cache.ofKind('', 'Namespace')).not.toEqual([]);
  excluded = 'Namespace';
  cache.redraw();
  await expect.poll(() => cache.ofKind('', 'Namespace')).toEqual([]);
  expect(cache.resource('', 'Namespace')).toBeUndefined();
  excluded = '';
  cache.redraw();
  await expect.poll(() => cache.ofKind('', 'Namespace').length).toBeGreaterThan(0);
});

test('namespace patterns that cannot be read are reported with their setting (A-3)', async () => {
  const watch = new SettingsWatch({ kube, namespace: 'default' });
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const metadata = { name: 'argocd-cmd-params-cm', namespace: 'default', labels };
  const data = { 'application.namespaces': 'shop,/^team-(?!secret)/' };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  await kube.create(ctx, map);
  const lines: unknown[] = [];
  const log = {
    ...silent,
    warn: (message: string, fields?: object) => lines.push({ line: message, ...fields }),
  };
  const logged = { ...ctx, log };
  running.push(watch.run(logged));
  await watch.whenSynced(logged);
  expect(watch.current.applicationNamespaces).toEqual(['shop', '/^team-(?!secret)/']);
  expect(lines).toMatchObject([
    {
      line: 'setting not usable',
      configMap: 'argocd-cmd-params-cm',
      key: 'application.namespaces',
      message: expect.stringMatching(/^the entry \/\^team-\(\?!secret\)\/ cannot be used: .*look-ahead/),
    },
  ]);
});
