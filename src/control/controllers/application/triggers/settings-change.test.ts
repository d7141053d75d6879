import { expect, test } from 'vitest';
import { type Application, defaultSettings, type Settings } from '#base/model';
import type { ClusterCache } from '#control/live';
import { affectedBySettings, applyClusterSettings } from './settings-change.ts';

const appOf = (...kinds: string[]): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: {} },
  status: {
    resources: kinds.map((name) => {
      const [kind = '', group] = name.split('/').reverse();
      return { ...(group && { group }), kind, name: 'a' };
    }),
  },
});
const overriding = (overrides: Settings['resources']['overrides']): Settings => ({
  ...defaultSettings,
  resources: { ...defaultSettings.resources, overrides },
});
const isWoken = (after: Settings, app: Application, before: Settings = defaultSettings) =>
  affectedBySettings({ before, after })(app);

test('an override wakes those that have such a resource, by name or by pattern, and nobody else', () => {
  const one = overriding({ 'apps/Deployment': { healthLua: 'return {}' } });
  expect(isWoken(one, appOf('ConfigMap', 'apps/Deployment'))).toBe(true);
  expect(isWoken(one, appOf('ConfigMap'))).toBe(false);
  expect(isWoken(defaultSettings, appOf('apps/Deployment'), one)).toBe(true);
  expect(isWoken(overriding({ 'apps/*': { healthLua: 'x' } }), appOf('apps/StatefulSet'))).toBe(true);
  expect(isWoken(overriding({ ConfigMap: { useOpenLibs: true } }), appOf('ConfigMap'))).toBe(true);
});

test('what no look could tell wakes nobody: actions, and settings of the server', () => {
  const actions = overriding({ ConfigMap: { actions: 'discovery.lua: x' } });
  expect(isWoken(actions, appOf('ConfigMap'))).toBe(false);
  const server = { ...defaultSettings, server: { ...defaultSettings.server, execEnabled: true } };
  expect(isWoken(server, appOf('ConfigMap'))).toBe(false);
});

test('T-21: another way to track or to choose kinds reads the cluster anew and wakes everybody', () => {
  const did: string[] = [];
  const cache = { retrack: () => did.push('retrack'), redraw: () => did.push('redraw') };
  const cluster = { cache: cache as unknown as ClusterCache };
  const before = defaultSettings;
  const tracking = { ...before.tracking, method: 'label' as const };
  const exclusions = [{ apiGroups: [''], kinds: ['Endpoints'], clusters: [] }];
  const marked = { ...before, tracking };
  const filtered = { ...before, resources: { ...before.resources, exclusions } };
  for (const after of [marked, filtered]) {
    applyClusterSettings(cluster, { before, after });
    expect(isWoken(after, appOf())).toBe(true);
  }
  applyClusterSettings(cluster, { before, after: before });
  expect(did).toEqual(['retrack', 'redraw', 'redraw']);
});
