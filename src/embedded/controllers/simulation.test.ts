import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import type { SimulationOptions } from './options.ts';
import { isReady } from './pod/view.ts';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const labels = { app: 'web' };
const template = (image: string) => ({
  metadata: { labels },
  spec: {
    containers: [{ name: 'c', image, readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5 } }],
  },
});
const deployment = (image = 'web:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 3, selector: { matchLabels: labels }, template: template(image) },
});
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });

/** Everything that happened to the objects of a few kinds, in order, as they were written. */
async function historyOf(seed: number): Promise<string[]> {
  stage = await createStage({ store: memoryStore(), seed });
  const stop = new AbortController();
  const seen: string[] = [];
  const kinds = [
    ['v1', 'Pod'],
    ['apps/v1', 'ReplicaSet'],
    ['apps/v1', 'Deployment'],
    ['v1', 'Event'],
  ] as const;
  const watching = kinds.map(async ([apiVersion, kind]) => {
    for await (const { type, object } of stage.objects.watch({ apiVersion, kind }, { signal: stop.signal }))
      seen.push(`${type} ${withoutChance(object)}`);
  });
  await stage.create(deployment());
  await stage.settle();
  const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'web:crash-loop' }] } } } };
  await stage.patch({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }, image);
  await stage.clock.advance(120_000);
  stop.abort();
  await Promise.all(watching);
  await stage.stop();
  return seen;
}

const withoutChance = ({ metadata, status, ...rest }: KubeObject): string =>
  JSON.stringify([rest.kind, metadata.name, status, rest]);

test('the same seed lives through the same history, another seed through another', async () => {
  const first = await historyOf(3);
  expect(first.length).toBeGreaterThan(50);
  expect(await historyOf(3)).toEqual(first);
  expect(await historyOf(4)).not.toEqual(first);
});

test('settling lets everything happen that is going to happen soon', async () => {
  stage = await createStage({ store: memoryStore(), probes: 'timed' });
  await stage.create(deployment());
  const began = stage.clock.now().getTime();
  await stage.settle();
  expect(pods().filter(isReady)).toHaveLength(3);
  expect(stage.clock.now().getTime() - began).toBeLessThan(20_000);
});

test('settling does not wait for what is far away', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(deployment('web:crash-loop'));
  const began = stage.clock.now().getTime();
  await stage.settle(15_000);
  const waited = stage.clock.now().getTime() - began;
  expect(waited).toBeGreaterThan(10_000);
  expect(waited).toBeLessThan(40_000);
});

test.each([
  ['instant', 0, 1],
  ['fast', 1, 100],
  ['real', 15_000, 25_000],
] as const)('at the pace %s a pod takes from %i to %i ms to be ready', async (pace, least, most) => {
  const options: SimulationOptions = { pace };
  stage = await createStage({ store: memoryStore(), ...options });
  await stage.create(deployment());
  const began = stage.clock.now().getTime();
  let waited = 0;
  while (pods().filter(isReady).length < 3 && waited <= most) {
    await stage.clock.advanceToNext();
    waited = stage.clock.now().getTime() - began;
  }
  expect(waited).toBeGreaterThanOrEqual(least);
  expect(waited).toBeLessThanOrEqual(most);
});
