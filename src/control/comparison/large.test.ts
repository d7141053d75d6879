import { expect, test } from 'vitest';
import {
  type Application,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  type KubeObject,
  keyOf,
} from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { effectiveProject } from '#engine';
import { turnsDuring } from '../../../test/turns.ts';
import { compareApplication } from './compare-application.ts';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { project: 'default', source: { repoURL: 'https://h/a' }, destination: { name: 'c' } },
};

function configMap(name: string, value: string): KubeObject {
  const annotations = { 'argocd.argoproj.io/tracking-id': `app:/ConfigMap:default/${name}` };
  const data = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key-${index}`, `${value}${index}`.padEnd(250, 'x')]),
  );
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', annotations },
    data,
  } as KubeObject;
}

test('attack 32: an application of fifteen megabytes is compared with everybody else in between', async () => {
  const names = Array.from({ length: 600 }, (_, index) => `cm-${index}`);
  const targets = names.map((name) => configMap(name, 'new'));
  const live = new Map(names.map((name) => [keyOf(configMap(name, '')), configMap(name, 'old')]));
  const cache = {
    whenSynced: async () => {},
    outage: () => undefined,
    get: (key: KeyOf) => live.get(key),
    trackedBy: () => [...live.values()],
    resource: () => ({ namespaced: true, plural: 'configmaps' }),
    capabilities: { version: '', apiVersions: [] },
  };
  const cluster = { server: 'https://c', name: 'c', kube: {}, cache, record: inCluster };
  const project = effectiveProject({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: defaultProjectSpec,
  });
  const destination = {
    cluster,
    project,
    denies: () => undefined,
    writer: () => ({}),
  } as unknown as AppDestination;
  const context = {
    manifests: {
      generate: async () => ({ objects: targets, revisions: ['abc'], sourceTypes: ['Directory'] }),
    },
    scripts: { judge: async () => () => undefined },
    settings: () => defaultSettings,
    namespace: 'argocd',
  } as unknown as ComparisonDeps;
  const looking = compareApplication(ctx, context, { app, destination }, { resolve: 'cached', hard: true });
  expect(await turnsDuring(looking)).toBeGreaterThan(5);
  expect((await looking).comparison.status).toBe('OutOfSync');
});

type KeyOf = ReturnType<typeof keyOf>;
