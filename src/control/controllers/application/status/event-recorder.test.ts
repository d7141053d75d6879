import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { createEventRecorder } from './event-recorder.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock };
});
afterEach(() => cluster.close());

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'default', uid: 'u1', resourceVersion: '7' },
  spec: { destination: {} },
};
const healed = (message = 'health went from Degraded to Healthy') =>
  ({ type: 'Normal', reason: 'ResourceUpdated', message }) as const;
const component = 'argocd-application-controller';

async function written(): Promise<(KubeObject & { count?: number; message?: string })[]> {
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace: 'default' });
  return items.filter((item) => item.metadata.name.startsWith('shop.'));
}

test('R-47: an event stands beside its application and says who tells it', async () => {
  await createEventRecorder({ kube, component }).write(ctx, app, healed());
  expect(await written()).toMatchObject([
    {
      involvedObject: {
        kind: 'Application',
        name: 'shop',
        namespace: 'default',
        uid: 'u1',
        resourceVersion: '7',
      },
      type: 'Normal',
      reason: 'ResourceUpdated',
      message: 'health went from Degraded to Healthy',
      source: { component },
      firstTimestamp: '2026-01-02T03:04:05Z',
      count: 1,
    },
  ]);
});

test('server §7.4: an event has the labels that the settings choose', async () => {
  const labelsOf = () => ({ team: 'blue' });
  await createEventRecorder({ kube, component, labelsOf }).write(ctx, app, healed());
  expect((await written()).map(({ metadata }) => metadata.labels)).toEqual([{ team: 'blue' }]);
});

test('the same thing again is counted, also by a successor that knows nothing of it', async () => {
  const events = createEventRecorder({ kube, component });
  for (let i = 0; i < 3; i++) await events.write(ctx, app, healed());
  await createEventRecorder({ kube, component }).write(ctx, app, healed());
  expect((await written()).map(({ count }) => count)).toEqual([4]);
});

test('a loop cannot flood: after a burst there is one in each minute, for that application only', async () => {
  const events = createEventRecorder({ kube, component });
  for (let i = 0; i < 100; i++) await events.write(ctx, app, healed(`story ${i}`));
  expect(await written()).toHaveLength(25);
  const other = { ...app, metadata: { ...app.metadata, name: 'shop', uid: 'u2' } };
  await events.write(ctx, other, healed());
  expect(await written()).toHaveLength(26);
  await clock.advance(120_000);
  for (let i = 0; i < 10; i++) await events.write(ctx, app, healed(`later ${i}`));
  expect(await written()).toHaveLength(28);
});

test('RE-1: about a Rollout there are ten in each minute after the burst', async () => {
  const events = createEventRecorder({ kube, component: 'rollouts-controller', refillMs: 6_000 });
  for (let i = 0; i < 100; i++) await events.write(ctx, app, healed(`story ${i}`));
  expect(await written()).toHaveLength(25);
  await clock.advance(60_000);
  for (let i = 0; i < 100; i++) await events.write(ctx, app, healed(`later ${i}`));
  expect(await written()).toHaveLength(35);
});

test('RE-1: a warning is written, however many routine events came before it', async () => {
  const events = createEventRecorder({ kube, component: 'rollouts-controller' });
  for (let i = 0; i < 100; i++) await events.write(ctx, app, healed(`story ${i}`));
  for (let i = 0; i < 100; i++) await events.write(ctx, app, { ...healed(`trouble ${i}`), type: 'Warning' });
  const types = (await written()).map((event) => (event as { type?: string }).type);
  expect(types.filter((type) => type === 'Warning')).toHaveLength(25);
  expect(types).toHaveLength(50);
});

test('what is told is written in its order while it runs; what cannot be written stops nothing', async () => {
  const events = createEventRecorder({ kube, component });
  const nowhere = { ...app, metadata: { ...app.metadata, name: 'lost', namespace: 'nowhere' } };
  events.record(nowhere, healed());
  events.record(app, healed('one'));
  const running = events.run(ctx);
  events.record(app, healed('two'));
  await expect
    .poll(async () => (await written()).map(({ message }) => message).sort())
    .toEqual(['one', 'two']);
  for (let i = 0; i < 3; i++) events.recordOnce(app, healed('x'.repeat(5000)));
  await expect.poll(written).toHaveLength(3);
  expect((await written()).map(({ count }) => count)).toEqual([1, 1, 1]);
  expect(Math.max(...(await written()).map(({ message }) => message?.length ?? 0))).toBe(1024);
  stop.abort();
  await running;
});

test('attack 24: an event holds no secret of the sources of its application', async () => {
  const source = {
    repoURL: 'https://joe:marker-url@git.example/a',
    helm: { parameters: [{ name: 'token', value: 'marker-parameter' }] },
  };
  const secretive = { ...app, spec: { source, destination: {} } };
  const message = 'Sync operation failed: marker-parameter, https://joe:marker-url@git.example/a not found';
  await createEventRecorder({ kube, component }).write(ctx, secretive, healed(message));
  expect((await written()).map((event) => event.message)).toEqual([
    'Sync operation failed: ++++++++, https://joe:++++++++@git.example/a not found',
  ]);
});
