import { expect, test } from 'vitest';
import { type Application, defaultSettings, type IgnoreDifference, type KubeObject } from '#base/model';
import { ignoreRules, readSyncOptions, remarksOn, timerDelay } from '#engine';
import { fragment, settingsOf } from './documents.ts';
import { application, Installation, told } from './installation.ts';

// "ArgoCD & GitOps Architecture": its map of ignored differences, its options and its settings
type Pair = { rules: readonly IgnoreDifference[]; git: KubeObject; live: KubeObject };
const map = fragment<Record<string, IgnoreDifference[]> & { global: never }>('003/ignore-map.yaml');
const { ignoreDifferences: printed } = fragment<{ ignoreDifferences: IgnoreDifference[] }>(
  '003/ignore-differences.yaml',
);

const of = (apiVersion: string, kind: string, rest: Record<string, unknown>): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'd' },
  ...rest,
});
const webhook = (caBundle?: string) =>
  of('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', {
    metadata: { name: 'x' },
    webhooks: [{ name: 'a.example.com', clientConfig: { ...(caBundle && { caBundle }) } }],
  });
const statefulSet = (typed: boolean, imagePullPolicy = 'Always') =>
  of('apps/v1', 'StatefulSet', {
    spec: {
      template: { spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy }] } },
      volumeClaimTemplates: [
        { ...(typed && { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }), metadata: { name: 'data' } },
      ],
    },
  });
const definition = (labels: Record<string, string>, conversion: string) =>
  of('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    metadata: { name: 'x', labels },
    spec: { group: 'example.com', conversion: { strategy: conversion } },
  });
const route = (backend: Record<string, unknown>) =>
  of('gateway.networking.k8s.io/v1', 'HTTPRoute', {
    spec: { rules: [{ backendRefs: [{ name: 'web', ...backend }] }] },
  });
const claim = (spec: Record<string, unknown>, storage: string) =>
  of('v1', 'PersistentVolumeClaim', { spec: { resources: { requests: { storage } }, ...spec } });
const secret = (remoteRef: Record<string, string>) =>
  of('external-secrets.io/v1', 'ExternalSecret', {
    spec: { data: [{ secretKey: 'k', remoteRef: { key: 'p', ...remoteRef } }] },
  });

const pairs: Record<string, Pair> = {
  'the bundle of a webhook': { rules: printed, git: webhook('b2xk'), live: webhook('bmV3') },
  'labels and conversion of a definition': {
    rules: printed,
    git: definition({ a: '1' }, 'None'),
    live: definition({ a: '2' }, 'Webhook'),
  },
  'the bundle, by Kyverno’s rules': { rules: map.kyverno ?? [], git: webhook('b2xk'), live: webhook('bmV3') },
  'defaults of a route': {
    rules: map.infrastructure ?? [],
    git: route({ weight: 2, group: 'example.com' }),
    live: route({ group: '', kind: 'Service', weight: 1 }),
  },
  'defaults of a secret’s reference': {
    rules: map.infrastructure ?? [],
    git: secret({ decodingStrategy: 'Auto' }),
    live: secret({ conversionStrategy: 'Default', decodingStrategy: 'None', metadataPolicy: 'None' }),
  },
  'a bound claim': {
    rules: map.infrastructure ?? [],
    git: claim({ volumeName: 'wanted' }, '1Gi'),
    live: claim({ volumeName: 'pvc-1', dataSource: { kind: 'VolumeSnapshot', name: 's' } }, '2Gi'),
  },
  'how the images of my apps are pulled': {
    rules: map['my-apps'] ?? [],
    git: statefulSet(true, 'IfNotPresent'),
    live: statefulSet(false, 'Always'),
  },
};

const statusOf = (app: Application, { git, live }: Pair, resources = defaultSettings.resources) => {
  const world = new Installation(app, [git], { resources });
  world.take(world.next());
  const applied = [...world.live.values()][0];
  return world
    .put({ ...live, metadata: { ...live.metadata, annotations: applied?.metadata.annotations ?? {} } })
    .compare();
};

test.each(Object.entries(pairs))(
  '%s is drift without the rules of the map, and none with them (X-11)',
  (_, pair) => {
    expect(statusOf(application(), pair).status).toBe('OutOfSync');
    const compared = statusOf(application({ ignoreDifferences: [...pair.rules] }), pair);
    expect(compared.status).toBe('Synced');
    expect(compared.warnings).toEqual([]);
  },
);

test('a stripped claim template is no drift, and needs no rule; the rules do no harm (D-28, X-11)', () => {
  const pair = { rules: printed, git: statefulSet(true), live: statefulSet(false) };
  const syncPolicy = { syncOptions: ['ServerSideApply=true'] };
  for (const ignoreDifferences of [[], printed])
    for (const app of [application({ ignoreDifferences }), application({ ignoreDifferences, syncPolicy })])
      expect(statusOf(app, pair).status).toBe('Synced');
});

const global = settingsOf(fragment<{ global: Record<string, string> }>('003/ignore-map.yaml').global);

test('what the controllers of Kubernetes wrote is theirs everywhere (X-11)', () => {
  expect(global.problems).toEqual([]);
  const deployment = (replicas: number) => of('apps/v1', 'Deployment', { spec: { replicas } });
  const managedFields = [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
  ];
  const live = { ...deployment(5), metadata: { ...deployment(5).metadata, managedFields } } as KubeObject;
  const pair = { rules: [], git: deployment(1), live };
  expect(statusOf(application(), pair).status).toBe('OutOfSync');
  expect(statusOf(application(), pair, global.resources).status).toBe('Synced');
});

test('rules on a generation are harmless and idle, and said to be (X-47)', () => {
  const rules = ignoreRules(
    application({ ignoreDifferences: map.database ?? [] }),
    defaultSettings.resources,
  );
  expect(rules.problem).toBeUndefined();
  expect(remarksOn(rules, []).hints.join()).toContain('generation');
});

test('1000m and 1 are one quantity, in a known kind and in a custom one (X-44)', () => {
  const [bad, good] = ['003/quantity-bad.yaml', '003/quantity-good.yaml'].map((file) =>
    fragment<object>(file),
  );
  const deployment = (container: object) =>
    of('apps/v1', 'Deployment', {
      spec: { template: { spec: { containers: [{ name: 'c', ...container }] } } },
    });
  const collector = (rest: object) =>
    of('opentelemetry.io/v1beta1', 'OpenTelemetryCollector', { spec: { ...rest } });
  for (const made of [deployment, collector]) {
    const pair = { rules: [], git: made(bad ?? {}), live: made(good ?? {}) };
    expect(statusOf(application(), pair).status).toBe('Synced');
  }
});

test('the ConfigMap that was never applied: new content is seen and applied, with ApplyOutOfSyncOnly too (X-12)', () => {
  const syncOptions = ['ServerSideApply=true', 'ApplyOutOfSyncOnly=true'];
  const app = application({ syncPolicy: { syncOptions } });
  const configMap = (content: string) => of('v1', 'ConfigMap', { data: { 'presets.ini': content } });
  const world = new Installation(app, [configMap('old')]);
  world.take(world.next());
  const next = new Installation(app, [configMap('new')]).put(...world.live.values());
  expect(next.compare().status).toBe('OutOfSync');
  expect(next.compare().notes.join()).toContain('ServerSideDiff');
  expect(told(next.next())).toBe('Sync 0: x');
});

test('a key removed from Git that somebody else holds as well is no drift, and is let go of all the same (X-15)', () => {
  const app = application({
    syncPolicy: { syncOptions: ['ServerSideApply=true', 'ApplyOutOfSyncOnly=true'] },
  });
  const configMap = (data: Record<string, string>) => of('v1', 'ConfigMap', { data });
  const entry = (manager: string, operation: 'Apply' | 'Update', fields: object) => ({
    manager,
    operation,
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { ...fields },
  });
  const mark = { 'f:metadata': { 'f:annotations': { 'f:argocd.argoproj.io/tracking-id': {} } } };
  const synced = (data: Record<string, string>) => {
    const world = new Installation(app, [configMap({ a: '1', b: '2' })]);
    world.take(world.next());
    const next = new Installation(app, [configMap(data)]);
    for (const live of world.live.values()) {
      const managedFields = [
        entry('argocd-controller', 'Apply', { ...mark, 'f:data': { 'f:a': {}, 'f:b': {} } }),
        entry('kubectl-edit', 'Update', { 'f:data': { 'f:b': {} } }),
      ];
      next.put({ ...live, metadata: { ...live.metadata, managedFields } } as KubeObject);
    }
    return next;
  };
  const unchanged = synced({ a: '1', b: '2' });
  expect([unchanged.compare().status, told(unchanged.next())]).toEqual(['Synced', 'Succeeded']);
  const removed = synced({ a: '1' });
  expect([removed.compare().status, told(removed.next())]).toEqual(['Synced', 'Sync 0: x']);
});

test('the settings of the document mean what it says (X-13, X-27)', () => {
  const { configs } = fragment<{ configs: { cm: Record<string, string> } }>('003/reconciliation.yaml');
  const { configs: tuned } = fragment<{ configs: { params: Record<string, string> } }>(
    '003/controller-performance.yaml',
  );
  const alias = fragment<{ configs: { cm: Record<string, string> } }>('003/server-side-diff.yaml').configs.cm;
  const settings = settingsOf({ ...configs.cm, ...alias }, tuned.params);
  expect(settings.refresh).toEqual({ intervalMs: 60_000, jitterMs: 30_000, hardIntervalMs: 0 });
  expect(settings.controller).toMatchObject({
    statusProcessors: 50,
    operationProcessors: 25,
    repoTimeoutMs: 300_000,
    serverSideDiff: true,
  });
  expect(settings.render.parallelism).toBe(5);
  expect([0, 1].map((random) => timerDelay(settings.refresh, random))).toEqual([60_000, 90_000]);
  expect(settingsOf(alias, { 'controller.diff.server.side': 'false' }).controller.serverSideDiff).toBe(false);
});

test('the standard sync options are known; the one it warns of is not (X-48)', () => {
  const { syncOptions } = fragment<{ syncOptions: string[] }>('003/sync-options.yaml');
  const options = readSyncOptions(syncOptions);
  expect(options).toMatchObject({ createNamespace: true, respectIgnoreDifferences: true, unknown: [] });
  expect(readSyncOptions([...syncOptions, 'IgnoreMissingTemplate=true']).unknown).toEqual([
    'IgnoreMissingTemplate=true',
  ]);
  // Replace=false asks for nothing: what is applied is applied as without it
  const world = new Installation(application({ syncPolicy: { syncOptions } }), [of('v1', 'ConfigMap', {})]);
  const first = world.next();
  expect(told(first)).toBe('PreSync 0: d');
  world.take(first);
  const step = world.next();
  expect(step.do === 'apply' && step.groups.flat().map(({ mode }) => mode.verb)).toEqual([
    'server-side-apply',
  ]);
});
