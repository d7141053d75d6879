import { beforeAll, describe, expect, test } from 'vitest';
import { type KubeObject, viewOf } from '#base/model';
import { realClock } from '#base/std';
import { createKubeClient, type KubeClient, refOf, type Transport } from '#kubernetes/client';
import { embeddedClusters } from './clusters.ts';

const { ctx, targets } = embeddedClusters();

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };
const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): KubeObject =>
  ({ ...configMaps, metadata: { name, namespace: 'suite', ...(labels && { labels }) }, data }) as KubeObject;
const dataOf = (object: KubeObject | undefined) =>
  object && viewOf<{ data: Record<string, string> }>(object).data;
const ref = (name: string) => ({ ...configMaps, namespace: 'suite', name });
const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

const deployment = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'suite' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.test/web:1' }] },
    },
  },
});

const definition = (plural: string, kind: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.suite.test` },
  spec: {
    group: 'suite.test',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

describe.each(targets)('a client of the embedded cluster, %s', (_name, open) => {
  let transport: Transport;
  let kube: KubeClient;

  beforeAll(async () => {
    transport = await open();
    kube = createKubeClient({ transport });
    await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'suite' } });
  });

  async function established(crd: KubeObject): Promise<void> {
    for (;;) {
      const { conditions = [] } = ((await kube.get(ctx, refOf(crd))).status ?? {}) as {
        conditions?: { type: string; status: string }[];
      };
      if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
      await realClock.sleep(5, ctx.signal);
    }
  }

  test('tells what the cluster serves', async () => {
    const { resources, stale } = await kube.catalog(ctx);
    const found = (apiVersion: string, kind: string) =>
      resources.find((one) => one.apiVersion === apiVersion && one.kind === kind);
    expect(stale.size).toBe(0);
    expect(found('v1', 'Pod')).toMatchObject({ plural: 'pods', namespaced: true, preferred: true });
    expect(found('v1', 'Pod')?.subresources).toContain('log');
    expect(found('v1', 'Namespace')).toMatchObject({ namespaced: false });
    expect(found('apps/v1', 'Deployment')?.verbs).toEqual(
      expect.arrayContaining(['get', 'list', 'watch', 'patch', 'deletecollection']),
    );
    expect(JSON.parse((await kube.raw(ctx, { method: 'GET', path: '/version' })).text)).toHaveProperty(
      'gitVersion',
    );
  });

  test('creates, gets, replaces and refuses what is stale', async () => {
    const created = await kube.create(ctx, configMap('crud', { a: '1' }), { fieldManager: 'suite' });
    expect(created.metadata.uid).toBeTruthy();
    await expect(kube.create(ctx, configMap('crud'))).rejects.toMatchObject({
      reason: 'AlreadyExists',
      status: 409,
      details: { name: 'crud' },
    });
    expect(await kube.get(ctx, ref('crud'))).toEqual(created);
    const updated = await kube.update(ctx, { ...created, data: { a: '2' } } as KubeObject);
    expect(dataOf(updated)).toEqual({ a: '2' });
    await expect(kube.update(ctx, created)).rejects.toMatchObject({
      reason: 'Conflict',
      code: 'Unavailable',
    });
    expect(await kube.find(ctx, ref('nobody'))).toBeUndefined();
    await expect(kube.get(ctx, ref('nobody'))).rejects.toMatchObject({
      reason: 'NotFound',
      message: 'configmaps "nobody" not found',
    });
    await expect(kube.create(ctx, { ...configMap('Not_A_Name') })).rejects.toMatchObject({
      reason: 'Invalid',
      code: 'InvalidSpec',
    });
    const generated = await kube.create(ctx, {
      ...configMaps,
      metadata: { name: '', generateName: 'gen-', namespace: 'suite' },
    });
    expect(generated.metadata.name).toMatch(/^gen-.+/);
  });

  test('patches in three ways', async () => {
    await kube.create(ctx, configMap('patched', { keep: '1', drop: '2' }));
    const merged = await kube.patch(
      ctx,
      ref('patched'),
      { type: 'merge', body: { data: { drop: null, add: '3' } } },
      { fieldManager: 'suite' },
    );
    expect(dataOf(merged)).toEqual({ keep: '1', add: '3' });
    const json = await kube.patch(ctx, ref('patched'), {
      type: 'json',
      body: [{ op: 'replace', path: '/data/keep', value: 'x' }],
    });
    expect(dataOf(json)).toEqual({ keep: 'x', add: '3' });
    await expect(
      kube.patch(ctx, ref('patched'), {
        type: 'json',
        body: [{ op: 'test', path: '/data/keep', value: 'y' }],
      }),
    ).rejects.toMatchObject({ name: 'KubeError' });

    const web = await kube.create(ctx, deployment('patched-web'));
    const containers = [{ name: 'side', image: 'registry.test/side:1' }];
    const strategic = await kube.patch(ctx, refOf(web), {
      type: 'strategic',
      body: { spec: { template: { spec: { containers } } } },
    });
    const { spec } = (strategic.spec as { template: { spec: { containers: { name: string }[] } } })
      .template as { spec: { containers: { name: string }[] } };
    expect(spec.containers.map(({ name }) => name).sort()).toEqual(['main', 'side']);
  });

  test('applies, owns what it applied, and takes from others only by force', async () => {
    const mine = { fieldManager: 'mine' };
    const first = await kube.apply(ctx, configMap('applied', { a: '1', b: '1' }), mine);
    expect(first.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['mine', 'Apply'],
    ]);
    const again = await kube.apply(ctx, configMap('applied', { a: '1', b: '1' }), mine);
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(dataOf(await kube.apply(ctx, configMap('applied', { a: '1' }), mine))).toEqual({ a: '1' });

    const theirs = { fieldManager: 'theirs' };
    const conflict = await kube
      .apply(ctx, configMap('applied', { a: '2' }), theirs)
      .catch((error: unknown) => error);
    expect(conflict).toMatchObject({
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    });
    expect(
      dataOf(
        await kube.apply(ctx, configMap('applied', { a: '2' }), { ...theirs, force: true, dryRun: true }),
      ),
    ).toEqual({ a: '2' });
    expect(dataOf(await kube.get(ctx, ref('applied')))).toEqual({ a: '1' });
    expect(
      dataOf(await kube.apply(ctx, configMap('applied', { a: '2' }), { ...theirs, force: true })),
    ).toEqual({ a: '2' });
    await expect(
      kube.apply(ctx, { ...configMap('applied'), nonsense: true } as KubeObject, {
        ...mine,
        fieldValidation: 'Strict',
      }),
    ).rejects.toMatchObject({ status: expect.any(Number), message: expect.stringContaining('nonsense') });
  });

  test('a field the server does not know is a warning that the caller hears', async () => {
    const warnings: string[] = [];
    await kube.create(ctx, { ...configMap('warned'), nonsense: true } as KubeObject, {
      onWarning: (message) => warnings.push(message),
    });
    expect(warnings).toEqual([expect.stringContaining('nonsense')]);
  });

  test('lists in pages, by label and by field, in order', async () => {
    for (let i = 0; i < 7; i++)
      await kube.create(ctx, configMap(`paged-${i}`, {}, { paged: i % 2 ? 'odd' : 'even' }));
    const all = await kube.list(
      ctx,
      { ...configMaps, namespace: 'suite' },
      { labelSelector: 'paged', pageSize: 2 },
    );
    expect(namesOf(all.items)).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `paged-${i}`));
    expect(all.items.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')).toBe(true);
    expect(Number(all.resourceVersion)).toBeGreaterThan(0);
    const odd = await kube.list(ctx, configMaps, { labelSelector: 'paged in (odd)' });
    expect(namesOf(odd.items)).toEqual(['paged-1', 'paged-3', 'paged-5']);
    expect(
      namesOf((await kube.list(ctx, configMaps, { fieldSelector: 'metadata.name=paged-4' })).items),
    ).toEqual(['paged-4']);
    await expect(kube.list(ctx, configMaps, { fieldSelector: 'data.x=1' })).rejects.toMatchObject({
      reason: 'BadRequest',
    });

    await kube.deleteCollection(ctx, { ...configMaps, namespace: 'suite' }, { labelSelector: 'paged=odd' });
    const left = await kube.list(ctx, { ...configMaps, namespace: 'suite' }, { labelSelector: 'paged' });
    expect(namesOf(left.items)).toEqual(['paged-0', 'paged-2', 'paged-4', 'paged-6']);
  });

  test('deletes under conditions, and shows what still waits for its finalizers', async () => {
    const held = await kube.create(ctx, {
      ...configMap('held'),
      metadata: { name: 'held', namespace: 'suite', finalizers: ['suite.test/hold'] },
    });
    await expect(kube.delete(ctx, ref('held'), { preconditions: { uid: 'another' } })).rejects.toMatchObject({
      reason: 'Conflict',
    });
    expect(await kube.delete(ctx, ref('held'), { dryRun: true })).toBeDefined();
    expect((await kube.get(ctx, ref('held'))).metadata.deletionTimestamp).toBeUndefined();
    const waiting = await kube.delete(ctx, ref('held'), {
      propagationPolicy: 'Background',
      preconditions: { uid: held.metadata.uid ?? '' },
    });
    expect(waiting?.metadata.deletionTimestamp).toBeTruthy();
    await kube.patch(ctx, ref('held'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await kube.find(ctx, ref('held'))).toBeUndefined();
    await kube.create(ctx, configMap('brief'));
    expect(await kube.delete(ctx, ref('brief'))).toBeUndefined();
    await expect(kube.delete(ctx, ref('brief'))).rejects.toMatchObject({ reason: 'NotFound' });
  });

  test('status and scale have doors of their own', async () => {
    const web = await kube.create(ctx, deployment('scaled'));
    const withStatus = await kube.updateStatus(ctx, {
      ...web,
      status: { replicas: 1, observedGeneration: 1 },
    });
    expect(withStatus.status).toMatchObject({ replicas: 1 });
    const at = { ...refOf(web), subresource: 'scale' };
    const scale = await kube.get(ctx, at);
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } });
    await kube.update(ctx, { ...scale, spec: { replicas: 4 } }, { at });
    expect((await kube.get(ctx, refOf(web))).spec).toMatchObject({ replicas: 4 });
  });

  test('can act as somebody else', async () => {
    const review: KubeObject = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { name: '' },
    };
    const answer = await kube.as('jane').create(ctx, review);
    expect(answer.status).toMatchObject({ userInfo: { username: 'jane' } });
  });

  test('reads logs line by line', async () => {
    const spec = { containers: [{ name: 'main', image: 'registry.test/web:1' }] };
    await kube.create(ctx, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'talker', namespace: 'suite' },
      spec,
    });
    const lines: string[] = [];
    for await (const line of kube.logs(ctx, { namespace: 'suite', name: 'talker' }, { container: 'main' }))
      lines.push(line);
    expect(lines).toEqual(['first line', 'second line']);
    const missing = kube.logs(ctx, { namespace: 'suite', name: 'nobody' });
    await expect(missing.next()).rejects.toMatchObject({ reason: 'NotFound' });
  });

  test('a kind that comes is found at once; one that goes is missed in words', async () => {
    const crd = definition('widgets', 'Widget');
    const widget: KubeObject = {
      apiVersion: 'suite.test/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'suite' },
      spec: { size: 9007199254740993n },
    };
    await expect(kube.create(ctx, widget)).rejects.toMatchObject({ reason: 'NoMatch' });
    await kube.create(ctx, crd);
    await established(crd);
    expect((await kube.create(ctx, widget)).spec).toEqual({ size: 9007199254740993n });
    expect((await kube.get(ctx, refOf(widget))).spec).toEqual({ size: 9007199254740993n });
    await expect(kube.patch(ctx, refOf(widget), { type: 'strategic', body: {} })).rejects.toMatchObject({
      status: 415,
    });

    // another client deletes the definition, so that ours does not know
    await createKubeClient({ transport }).delete(ctx, refOf(crd));
    while (await kube.find(ctx, refOf(crd))) await realClock.sleep(5, ctx.signal);
    await expect(kube.list(ctx, { apiVersion: 'suite.test/v1', kind: 'Widget' })).rejects.toMatchObject({
      reason: 'NoMatch',
    });
  });
});
