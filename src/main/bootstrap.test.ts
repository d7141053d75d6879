import { expect, test } from 'vitest';
import { realClock, silent, virtualClock } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type Transport } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { awaitDefinitions, bootstrap, ensure, requireDefinitions } from './bootstrap.ts';
import { shipped } from './config.ts';
import { preflight } from './preflight.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const { definitions, knownHosts } = shipped;
const options = { namespace: 'argocd', definitions, knownHosts, cm: {} };

async function clusterWith(refuses: (method: string, path: string) => boolean = () => false) {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const refused = '{"kind":"Status","code":403,"reason":"Forbidden","message":"not you"}';
  const transport: Transport = async (request) =>
    refuses(request.method, request.path)
      ? { status: 403, headers: {}, body: refused }
      : cluster.handle(request);
  return { kube: createKubeClient({ transport }), cluster };
}

test('a cluster without definitions is told with the way out', async () => {
  const { kube } = await clusterWith();
  await expect(requireDefinitions(ctx, kube)).rejects.toThrow(
    'the cluster has no definition of Application: apply deploy/crds as an administrator',
  );
  await bootstrap(ctx, kube, options);
  kube.invalidate();
  await requireDefinitions(ctx, kube);
});

test('a server beside a controller that has not created the definitions yet waits for them, with one line in the log', async () => {
  const { kube } = await clusterWith();
  const clock = virtualClock();
  const lines: string[] = [];
  const log = { ...silent, info: (text: string) => void lines.push(text) };
  const waiting = awaitDefinitions({ ...ctx, clock, log }, kube);
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toContain('waiting for the definition of Application');
  await clock.advance(10_000);
  await bootstrap(ctx, kube, options);
  let isOver = false;
  const over = waiting.then(() => {
    isOver = true;
  });
  await expect
    .poll(async () => {
      await clock.advance(2_000);
      return isOver;
    })
    .toBe(true);
  await over;
  expect(lines).toHaveLength(1);
});

test('a server that is stopped while it waits for definitions stops', async () => {
  const { kube } = await clusterWith();
  const stop = new AbortController();
  const waiting = awaitDefinitions({ ...ctx, signal: stop.signal }, kube);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow();
});

test('what programs made for Argo CD read is there: every ConfigMap of an installation, with its label', async () => {
  const { kube } = await clusterWith();
  await bootstrap(ctx, kube, options);
  const { items } = await kube.list(
    ctx,
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd' },
    { labelSelector: 'app.kubernetes.io/part-of=argocd' },
  );
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual([
    'argocd-cm',
    'argocd-cmd-params-cm',
    'argocd-gpg-keys-cm',
    'argocd-rbac-cm',
    'argocd-ssh-known-hosts-cm',
    'argocd-tls-certs-cm',
  ]);
});

test('who may not change definitions uses those that are there, and is told when there are none', async () => {
  let isRefusing = true;
  const { kube } = await clusterWith(
    (method, path) => isRefusing && method === 'PATCH' && path.includes('customresourcedefinitions'),
  );
  await expect(bootstrap(ctx, kube, options)).rejects.toThrow('apply deploy/crds as an administrator');
  isRefusing = false;
  await bootstrap(ctx, kube, options);
  isRefusing = true;
  await bootstrap(ctx, kube, options);
});

test('what exists need not be created by us', async () => {
  const { kube } = await clusterWith((method, path) => method === 'POST' && path.includes('namespaces'));
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await ensure(ctx, kube, namespace('default'));
  await expect(ensure(ctx, kube, namespace('other'))).rejects.toThrow('not you');
});

test('who may only work in the namespace starts, if it is there', async () => {
  let isRefusing = false;
  const { kube } = await clusterWith(
    (method, path) =>
      isRefusing && (method === 'PATCH' || /^\/api\/v1\/namespaces(\/[^/]*)?(\?.*)?$/.test(path)),
  );
  await bootstrap(ctx, kube, options);
  isRefusing = true;
  await bootstrap(ctx, kube, options);
  await expect(bootstrap(ctx, kube, { ...options, namespace: 'nowhere' })).rejects.toThrow(
    'namespaces "nowhere" not found',
  );
});

test('a cluster that does not let us in, or is none, is told before anything starts', async () => {
  const answering = (status: number, body: string) =>
    createKubeClient({ transport: async () => ({ status, headers: {}, body }) });
  const refused = '{"kind":"Status","code":401,"reason":"Unauthorized","message":"Unauthorized"}';
  await expect(preflight(ctx, answering(401, refused), 'https://c')).rejects.toThrow(
    'the cluster at https://c does not accept who we are: Unauthorized',
  );
  await expect(preflight(ctx, answering(200, '{}'), 'https://c')).rejects.toThrow(
    'https://c answers, but is no Kubernetes API server',
  );
});
