import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Application, asKubeObject, finalizer } from '#base/model';
import { realClock, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { permissionsOf } from '../../../../../test/policy.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { remove } from './write.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'app' };
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

let cluster: EmbeddedCluster;
let kube: KubeClient;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(ctx, asKubeObject(parse(text), 'crd'), { fieldManager: 'test', force: true });
  await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
});

afterEach(() => cluster.close());

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
    const made = (await kube.create(ctx, {
      ...ref,
      metadata: { name: 'app', namespace: 'argocd', finalizers: [finalizer.resourcesForeground] },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/a.git' },
        destination: { name: 'in-cluster' },
      },
    } as Application)) as Application;
    const apps = new Informer<Application>(kube, ref);
    apps.put(made);
    const finalizers = [...(made.metadata.finalizers ?? []), finalizer.preDelete];
    await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { finalizers } } });
    await remove(ctx, { kube, apps, context: { namespace: 'argocd' } } as unknown as MethodDeps, call(query));
    const { metadata } = await kube.get(ctx, ref);
    expect([metadata.deletionTimestamp, metadata.finalizers]).toEqual([expect.any(String), held]);
  },
);
