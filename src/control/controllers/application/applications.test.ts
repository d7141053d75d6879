import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Application, annotation, type KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { createApplications } from './applications.ts';

const definition = new URL('../../../../deploy/crds/application.yaml', import.meta.url);
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

test('compat A-25: a status the API server does not take is told in a condition, and the rest stays', async () => {
  const stop = new AbortController();
  const ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await kube.create(ctx, parse(await readFile(definition, 'utf8')) as KubeObject);
  const app = (await kube.create(ctx, {
    ...kind,
    metadata: { name: 'vast', namespace: 'default' },
    spec: { project: 'default', destination: { name: 'in-cluster', namespace: 'default' } },
    status: { sync: { status: 'Synced' } },
  })) as Application;

  const apps = createApplications({ kube, informer: new Informer(kube, kind) });
  const row = { version: 'v1', kind: 'ConfigMap', namespace: 'default', status: 'Synced' as const };
  const resources = Array.from({ length: 60_000 }, (_, index) => ({ ...row, name: `config-map-${index}` }));
  const written = await apps.saveStatus(ctx, app, {
    ...app.status,
    sync: { status: 'OutOfSync' },
    resources,
  });

  expect(written.status?.sync?.status).toBe('Synced');
  expect(written.status?.resources).toBeUndefined();
  expect(written.status?.conditions?.map(({ type }) => type)).toEqual(['UnknownError']);
  expect(written.status?.conditions?.[0]?.message).toContain('split the application');
  stop.abort();
  await cluster.close();
});

test('compat R-29, A-21: one operation at a time; who comes second is told so, a label that came between stops nobody, and the last state is forgotten', async () => {
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await kube.create(ctx, parse(await readFile(definition, 'utf8')) as KubeObject);
  const operationState = { operation: {}, phase: 'Succeeded', startedAt: '2026-01-01T00:00:00Z' };
  const app = (await kube.create(ctx, {
    ...kind,
    metadata: { name: 'busy', namespace: 'default' },
    spec: { project: 'default', destination: { name: 'in-cluster', namespace: 'default' } },
    status: { operationState },
  } as KubeObject)) as Application;

  const apps = createApplications({ kube, informer: new Informer(kube, kind) });
  await apps.patch(ctx, app, { metadata: { annotations: { other: 'wish' } } });
  expect(await apps.request(ctx, app, { sync: { revision: 'z' } })).toBeUndefined();
  await apps.patch(ctx, app, { metadata: { annotations: { other: null }, labels: { team: 'x' } } });
  expect(await apps.request(ctx, app, { sync: { revision: 'a' } })).toBeDefined();
  expect(await apps.request(ctx, app, { sync: { revision: 'b' } })).toBeUndefined();
  const now = await apps.fetch(ctx, 'default/busy');
  expect([now?.operation?.sync?.revision, now?.status?.operationState]).toEqual(['a', undefined]);

  // compat A-22: the request stays while the operation runs, and goes in the same patch that writes its end
  const state = { operation: {}, phase: 'Running' as const, startedAt: '2026-01-02T00:00:00Z' };
  const running = await apps.saveOperation(ctx, now ?? app, { state, isDone: false });
  expect(running.operation).toBeDefined();
  const ended = await apps.saveOperation(ctx, running, {
    state: { ...state, phase: 'Succeeded' },
    isDone: true,
  });
  expect([ended.operation, ended.status?.operationState?.phase]).toEqual([undefined, 'Succeeded']);
  expect(Number(ended.metadata.resourceVersion)).toBe(Number(running.metadata.resourceVersion) + 1);
  await cluster.close();
});

test('compat §1.12: a look that was asked for is answered in one write, and a newer request stays', async () => {
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await kube.create(ctx, parse(await readFile(definition, 'utf8')) as KubeObject);
  const asking = (at: string) => ({ [annotation.refresh]: 'normal', [annotation.refreshTimestamp]: at });
  const app = (await kube.create(ctx, {
    ...kind,
    metadata: { name: 'asked', namespace: 'default', annotations: { kept: 'yes', ...asking('1') } },
    spec: { project: 'default', destination: { name: 'in-cluster', namespace: 'default' } },
  })) as Application;
  const apps = createApplications({ kube, informer: new Informer(kube, kind) });

  const answered = await apps.answer(ctx, app, { sync: { status: 'Synced' } });
  expect(Number(answered.metadata.resourceVersion)).toBe(Number(app.metadata.resourceVersion) + 1);
  expect([answered.metadata.annotations, answered.status?.sync?.status]).toEqual([{ kept: 'yes' }, 'Synced']);

  const second = await apps.patch(ctx, answered, { metadata: { annotations: asking('2') } });
  await apps.patch(ctx, second, { metadata: { labels: { other: 'change' } } });
  const despite = await apps.answer(ctx, second, { sync: { status: 'OutOfSync' } });
  expect([despite.metadata.annotations, despite.status?.sync?.status]).toEqual([
    { kept: 'yes' },
    'OutOfSync',
  ]);

  const third = await apps.patch(ctx, despite, { metadata: { annotations: asking('3') } });
  await apps.patch(ctx, third, { metadata: { annotations: asking('4') } });
  const newer = await apps.answer(ctx, third, { sync: { status: 'Synced' } });
  expect([newer.metadata.annotations, newer.status?.sync?.status]).toEqual([
    { kept: 'yes', ...asking('4') },
    'Synced',
  ]);
  await cluster.close();
});
