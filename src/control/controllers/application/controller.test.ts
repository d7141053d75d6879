import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { realClock, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { ApplicationController } from './controller.ts';
import type { ApplicationControllerDeps } from './controller-deps.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const untouched: ProxyHandler<object> = {
  get: (_target, name) => {
    throw new Error(`${String(name)} was used`);
  },
};

async function controllerOf(app: Application): Promise<ApplicationController> {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const informer = new Informer<Application>(kube, app);
  informer.put(app);
  const context = new Proxy({}, untouched);
  return new ApplicationController(ctx, {
    kube,
    informer,
    context,
  } as unknown as ApplicationControllerDeps);
}
const appWith = (annotations: Record<string, string>, more: object = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd', resourceVersion: '1', annotations, ...more },
  spec: { destination: {} },
  operation: { sync: {} },
});
const frozen = { 'argocd.argoproj.io/skip-reconcile': 'true' };
const going = {
  deletionTimestamp: '2026-01-01T00:00:00Z',
  finalizers: ['resources-finalizer.argocd.argoproj.io'],
};

test('a frozen application is neither looked at, nor synced, nor cleaned up after (X-14)', async () => {
  for (const app of [appWith(frozen), appWith(frozen, going)]) {
    const controller = await controllerOf(app);
    expect(await controller.refresh(ctx, 'argocd/app')).toBeUndefined();
    expect(await controller.operate(ctx, 'argocd/app')).toBeUndefined();
  }
});

test('thawed it is looked at again (X-14)', async () => {
  const controller = await controllerOf(appWith({ 'argocd.argoproj.io/skip-reconcile': 'false' }));
  await expect(controller.refresh(ctx, 'argocd/app')).rejects.toThrow('was used');
});

test('R-47: what happens is told, and what was there before us is not', async () => {
  const told: string[] = [];
  const events = {
    record: (app: Application, { reason }: { reason: string }) => told.push(`${app.metadata.name} ${reason}`),
  };
  const context = { namespace: 'argocd' };
  const deps = { informer: { get: () => undefined }, context, events };
  const controller = new ApplicationController(ctx, deps as unknown as ApplicationControllerDeps);
  const made = (name: string, creationTimestamp: string): Application => ({
    ...appWith({}),
    metadata: { name, namespace: 'argocd', creationTimestamp },
  });
  const young = made('young', '2099-01-01T00:00:00Z');
  async function* changes() {
    yield { after: made('old', '2020-01-01T00:00:00Z') };
    yield { after: young };
    yield { before: young, after: { ...young, status: { health: { status: 'Healthy' as const } } } };
    yield { before: young };
  }
  await controller.onApplicationChange(ctx, changes());
  expect(told).toEqual(['young ResourceCreated', 'young ResourceUpdated', 'young ResourceDeleted']);
});
