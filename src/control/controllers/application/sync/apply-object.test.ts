import { beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { eventually } from '../../../../../test/eventually.ts';
import { applyObject, type ObjectToApply, validateFields } from './apply-object.ts';

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
const how = (verb: ObjectToApply['mode']['verb'], more: object = {}): Omit<ObjectToApply, 'target'> => ({
  mode: { verb, force: false, validate: true },
  ...more,
});
/** Applied, and nobody in the way. */
async function put(applying: ObjectToApply) {
  const applied = await applyObject(ctx, kube, applying);
  if ('left' in applied) throw new Error(`${applied.left.metadata.name} is on its way out`);
  return applied;
}
const stored = async () =>
  (await kube.get(ctx, { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' })) as any;

test('compat S-30: what Git no longer says goes, what others wrote stays', async () => {
  const first = await put({ target: configMap({ a: '1', b: '2' }), ...how('apply') });
  expect(first.verb).toBe('created');
  await kube.patch(
    ctx,
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' },
    { type: 'merge', body: { data: { c: '3' } } },
  );
  const second = await put({ target: configMap({ a: '1' }), ...how('apply') });
  expect([second.verb, (await stored()).data]).toEqual(['configured', { a: '1', c: '3' }]);
  const third = await put({ target: configMap({ a: '1' }), ...how('apply') });
  expect(third.verb).toBe('unchanged');
  expect((await stored()).metadata.managedFields.map((m: any) => m.manager)).toContain('argocd-controller');
});

test('compat S-29: replace leaves only what Git says', async () => {
  await applyObject(ctx, kube, { target: configMap({ a: '1', b: '2' }), ...how('apply') });
  const { verb } = await put({ target: configMap({ b: '3' }), ...how('replace') });
  expect([verb, (await stored()).data]).toEqual(['replaced', { b: '3' }]);
});

test('compat S-31: server-side apply takes fields from others and writes no last-applied', async () => {
  await kube.create(ctx, configMap({ a: 'theirs' }), { fieldManager: 'somebody' });
  const { verb } = await put({
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
  expect(() => validateFields({ target: configMap({ a: '1' }), mode })).not.toThrow();
  const unknown = { ...configMap({}), surprise: 1 } as KubeObject;
  expect(() => validateFields({ target: unknown, mode })).toThrow(/surprise/);
  expect(() => validateFields({ target: unknown, mode: { ...mode, validate: false } })).not.toThrow();
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
  await applyObject(ctx, kube, { target: deployment('two'), mode });
  const { object, verb } = await eventually(() => put({ target: deployment('two'), mode, isRemade: true }));
  expect([verb, (object as any).spec.selector.matchLabels.app]).toEqual(['created', 'two']);
});

test('compat S-50: what was applied from a client is taken over, so what leaves Git leaves the object', async () => {
  const clientSide = { fieldManager: 'kubectl-client-side-apply' };
  await kube.create(ctx, configMap({ a: '1', b: '2' }), clientSide);
  const target = configMap({ a: '1' });
  await applyObject(ctx, kube, { target, ...how('server-side-apply') });
  expect((await stored()).data).toEqual({ a: '1', b: '2' });
  await applyObject(ctx, kube, {
    target,
    ...how('server-side-apply', { migrateFrom: ['kubectl-client-side-apply'] }),
  });
  const { data, metadata } = await stored();
  expect(data).toEqual({ a: '1' });
  expect(metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual([
    'argocd-controller',
  ]);
});

test('compat S-50: what we applied from a client ourselves is taken over, and so is the note about it', async () => {
  await applyObject(ctx, kube, { target: configMap({ a: '1', b: '2' }), ...how('apply') });
  const taken = how('server-side-apply', { migrateFrom: ['argocd-controller'] });
  await applyObject(ctx, kube, { target: configMap({ a: '1', c: '3' }), ...taken });
  const { data, metadata } = await stored();
  expect(data).toEqual({ a: '1', c: '3' });
  expect(metadata.annotations).toBeUndefined();
  expect(metadata.managedFields.map(({ operation }: { operation: string }) => operation)).toEqual(['Apply']);
});

const forced = { mode: { verb: 'replace' as const, force: true, validate: true } };

test('compat S-30: what somebody holds is deleted once, handed back, and made anew when it is gone', async () => {
  const held = { name: 'a', namespace: 'default', finalizers: ['example.com/hold'] };
  await kube.create(ctx, { ...configMap({ a: '1' }), metadata: held });
  const target = configMap({ a: '2' });
  for (const isRemade of [false, true, false]) {
    expect(await applyObject(ctx, kube, { target, ...forced, isRemade })).toMatchObject({
      left: { metadata: { name: 'a', finalizers: expect.arrayContaining(['example.com/hold']) } },
    });
  }
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' };
  await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
  expect((await put({ target, ...forced, isRemade: true })).verb).toBe('created');
  const { uid } = (await stored()).metadata;
  expect((await put({ target: configMap({ a: '3' }), ...forced, isRemade: true })).verb).toBe('replaced');
  const { data, metadata } = await stored();
  expect([data, metadata.uid]).toEqual([{ a: '3' }, uid]);
});

test('what the cluster would not make is not deleted for it', async () => {
  await kube.create(ctx, configMap({ a: '1' }));
  const target = configMap({ 'no key': '2' });
  await expect(applyObject(ctx, kube, { target, ...forced })).rejects.toThrow(/no key/);
  expect((await stored()).data).toEqual({ a: '1' });
});

const binding = (role: string, more: object = {}): KubeObject =>
  ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'a', namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    ...more,
  }) as KubeObject;
const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
const bound = async () => (await kube.get(ctx, { ...binding(''), name: 'a', namespace: 'default' })) as any;

test('compat S-30: a binding to another role is made anew, and only that', async () => {
  await put({ target: binding('view', { subjects }), ...how('apply') });
  const before = await bound();
  expect((await put({ target: binding('view', { subjects }), ...how('apply') })).verb).toBe('unchanged');
  expect((await put({ target: binding('edit', { subjects }), ...how('apply') })).verb).toBe('replaced');
  const after = await bound();
  expect([after.roleRef.name, after.subjects]).toEqual(['edit', subjects]);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  expect(after.metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
});

test('compat S-30: whoever was added to a binding by hand leaves it, also where Git names nobody', async () => {
  await put({ target: binding('view'), ...how('apply') });
  const ref = { ...binding(''), name: 'a', namespace: 'default' };
  await kube.patch(ctx, ref, { type: 'merge', body: { subjects } });
  await put({ target: binding('view'), ...how('apply') });
  expect((await bound()).subjects).toBeUndefined();
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

/** A cluster in which somebody does something right after an object was read. */
const meddled = (meddle: () => Promise<unknown>): KubeClient => ({
  ...kube,
  find: async (...asked) => {
    const found = await kube.find(...asked);
    await meddle();
    return found;
  },
});
const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' };

test('what somebody deletes while it is being changed is made again, and nothing has failed', async () => {
  const live = (await put({ target: configMap({ a: '1' }), ...how('apply') })).object;
  const racing = meddled(() => kube.delete(ctx, ref));
  const applied = await applyObject(ctx, racing, { target: configMap({ a: '2' }), live, ...how('apply') });
  expect(applied).toMatchObject({ verb: 'created', object: { data: { a: '2' } } });
});

test('compat S-29: what others write while it is being replaced is replaced as well', async () => {
  await put({ target: configMap({ a: '1' }), ...how('apply') });
  let writes = 0;
  const racing = meddled(async () => {
    writes += 1;
    if (writes < 3) await kube.patch(ctx, ref, { type: 'merge', body: { data: { theirs: `${writes}` } } });
  });
  await applyObject(ctx, racing, { target: configMap({ a: '2' }), ...how('replace') });
  expect([(await stored()).data, writes]).toEqual([{ a: '2' }, 3]);
});
