import { beforeEach, expect, test } from 'vitest';
import { createCluster } from '#devcluster';
import { createKubeClient, type KubeClient } from '#kube';
import type { KubeObject } from '#model';
import { realClock, silent } from '#std';
import { memoryStore } from '#store';
import { type Applying, applyObject, rehearseObject } from './apply-object.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let kube: KubeClient;

beforeEach(async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
});

const configMap = (data: Record<string, string>): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
    data,
  }) as KubeObject;
const how = (verb: Applying['mode']['verb'], more: object = {}): Omit<Applying, 'target'> => ({
  mode: { verb, force: false, validate: true },
  ...more,
});
const stored = async () =>
  (await kube.get(ctx, { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' })) as any;

test('compat S-30: what Git no longer says goes, what others wrote stays', async () => {
  const first = await applyObject(ctx, kube, { target: configMap({ a: '1', b: '2' }), ...how('apply') });
  expect(first.verb).toBe('created');
  await kube.patch(
    ctx,
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' },
    { type: 'merge', body: { data: { c: '3' } } },
  );
  const second = await applyObject(ctx, kube, { target: configMap({ a: '1' }), ...how('apply') });
  expect([second.verb, (await stored()).data]).toEqual(['configured', { a: '1', c: '3' }]);
  const third = await applyObject(ctx, kube, { target: configMap({ a: '1' }), ...how('apply') });
  expect(third.verb).toBe('unchanged');
  expect((await stored()).metadata.managedFields.map((m: any) => m.manager)).toContain('argocd-controller');
});

test('compat S-29: replace leaves only what Git says', async () => {
  await applyObject(ctx, kube, { target: configMap({ a: '1', b: '2' }), ...how('apply') });
  const { verb } = await applyObject(ctx, kube, { target: configMap({ b: '3' }), ...how('replace') });
  expect([verb, (await stored()).data]).toEqual(['replaced', { b: '3' }]);
});

test('compat S-31: server-side apply takes fields from others and writes no last-applied', async () => {
  await kube.create(ctx, configMap({ a: 'theirs' }), { fieldManager: 'somebody' });
  const { verb } = await applyObject(ctx, kube, {
    target: configMap({ a: 'ours' }),
    ...how('server-side-apply'),
  });
  const object = await stored();
  expect([verb, object.data.a]).toEqual(['serverside-applied', 'ours']);
  expect(object.metadata.annotations).toBeUndefined();
});

test('Force and ServerSideApply exclude each other, and the message says so', async () => {
  const mode = { verb: 'server-side-apply' as const, force: true, validate: true };
  await expect(applyObject(ctx, kube, { target: configMap({}), mode })).rejects.toThrow('exclude each other');
});

test('compat S-24: a rehearsal needs no cluster, and finds fields nobody knows', () => {
  const { mode } = how('apply');
  expect(() => rehearseObject({ target: configMap({ a: '1' }), mode })).not.toThrow();
  const unknown = { ...configMap({}), surprise: 1 } as KubeObject;
  expect(() => rehearseObject({ target: unknown, mode })).toThrow(/surprise/);
  expect(() => rehearseObject({ target: unknown, mode: { ...mode, validate: false } })).not.toThrow();
});

test('what cannot be changed is made anew when forced', async () => {
  const deployment = (app: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'a', image: 'example/a:1' }] },
      },
    },
  });
  await applyObject(ctx, kube, { target: deployment('one'), ...how('apply') });
  await expect(applyObject(ctx, kube, { target: deployment('two'), ...how('apply') })).rejects.toThrow(
    /selector/,
  );
  const mode = { verb: 'apply' as const, force: true, validate: true };
  const { object, verb } = await applyObject(ctx, kube, { target: deployment('two'), mode });
  expect([verb, (object as any).spec.selector.matchLabels.app]).toEqual(['replaced', 'two']);
});

test('compat S-50: what was applied from a client is taken over, so what leaves Git leaves the object', async () => {
  const clientSide = { fieldManager: 'kubectl-client-side-apply' };
  await kube.create(ctx, configMap({ a: '1', b: '2' }), clientSide);
  const target = configMap({ a: '1' });
  await applyObject(ctx, kube, { target, ...how('server-side-apply') });
  expect((await stored()).data).toEqual({ a: '1', b: '2' });
  await applyObject(ctx, kube, {
    target,
    ...how('server-side-apply', { migrateFrom: 'kubectl-client-side-apply' }),
  });
  const { data, metadata } = await stored();
  expect(data).toEqual({ a: '1' });
  expect(metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual([
    'argocd-controller',
  ]);
});

test('compat S-34: a definition is awaited until its instances can come', async () => {
  const target = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  } as KubeObject;
  await applyObject(ctx, kube, { target, ...how('apply') });
  const found = (await kube.get(ctx, { ...target, name: 'widgets.example.com' })) as any;
  expect(found.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Established', status: 'True' }),
  );
});
