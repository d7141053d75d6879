import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Application, asKubeObject, finalizer } from '#base/model';
import { realClock, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient, type Transport } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { permissionsOf } from '../../../../../test/policy.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { remove, terminate } from './write.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'app' };
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

let cluster: EmbeddedCluster;
let kube: KubeClient;
/** What another writer does before the next write arrives. */
let meanwhile: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const transport: Transport = async (request) => {
    const other = request.method === 'PATCH' ? meanwhile : undefined;
    if (other) meanwhile = undefined;
    await other?.();
    return cluster.handle(request);
  };
  kube = createKubeClient({ transport });
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(ctx, asKubeObject(parse(text), 'crd'), { fieldManager: 'test', force: true });
  await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
});

afterEach(() => cluster.close());

async function given(metadata: object, more: object = {}) {
  const source = { repoURL: 'https://git.example.com/a.git' };
  const made = (await kube.create(ctx, {
    ...ref,
    metadata: { name: 'app', namespace: 'argocd', ...metadata },
    spec: { project: 'default', source, destination: { name: 'in-cluster' } },
    ...more,
  } as Application)) as Application;
  const apps = new Informer<Application>(kube, ref);
  apps.put(made);
  return { made, deps: { kube, apps, context: { namespace: 'argocd' } } as unknown as MethodDeps };
}

const call = (query: string): MethodCall => ({
  params: { name: 'app' },
  query: new URLSearchParams(query),
  body: undefined,
  user: { username: 'jane' } as NonNullable<MethodCall['user']>,
  permissions: permissionsOf(),
  client: { address: '192.0.2.1', isSecure: false },
});

test.each([
  { query: '', held: [finalizer.preDelete, finalizer.resources] },
  { query: 'propagationPolicy=background', held: [finalizer.preDelete, finalizer.resourcesBackground] },
  { query: 'cascade=false', held: [finalizer.preDelete] },
])(
  'compat engine A-28: DELETE ?$query keeps the finalizer of deletion hooks that the controller has just added',
  async ({ query, held }) => {
    const { made, deps } = await given({ finalizers: [finalizer.resourcesForeground] });
    const finalizers = [...(made.metadata.finalizers ?? []), finalizer.preDelete];
    await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { finalizers } } });
    await remove(ctx, deps, call(query));
    const { metadata } = await kube.get(ctx, ref);
    expect([metadata.deletionTimestamp, metadata.finalizers]).toEqual([expect.any(String), held]);
  },
);

test('a sync is terminated while the controller records its progress', async () => {
  const operation = { sync: {} };
  const operationState = { phase: 'Running', startedAt: '2026-06-01T08:00:00Z', operation };
  const { deps } = await given({}, { operation, status: { operationState } });
  const progress = { status: { operationState: { message: 'waiting for wave 1' } } };
  meanwhile = () => kube.patch(ctx, ref, { type: 'merge', body: progress });
  expect(await terminate(ctx, deps, call(''))).toEqual({});
  const { status } = (await kube.get(ctx, ref)) as Application;
  expect(status?.operationState).toMatchObject({
    phase: 'Terminating',
    message: expect.stringContaining('termination requested at'),
  });
});
