import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { helloOn, helloService, ref } from './stage.ts';

let stage: VirtualCluster;
const { ksvc, deploy } = helloOn(() => stage);

afterEach(() => stage.stop());

async function start(data: Record<string, string>, revisions: number): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const namespace = 'knative-serving';
  await stage.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await stage.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'config-gc', namespace },
    data,
  });
  await stage.create(helloService());
  await stage.clock.advance(500);
  for (let next = 2; next <= revisions; next++) {
    await deploy(`ghcr.io/demo/hello:${next}`);
    await stage.clock.advance(2000);
  }
}

const names = (): string[] =>
  stage.objects
    .list({ apiVersion: 'serving.knative.dev/v1', kind: 'Revision' }, { namespace: 'default' })
    .map(({ metadata }) => metadata.name)
    .sort();

test('more revisions than are kept let the oldest go', async () => {
  await start({ 'min-non-active-revisions': '1', 'max-non-active-revisions': '2' }, 5);
  expect(names()).toEqual(['hello-00003', 'hello-00004', 'hello-00005']);
  expect(ksvc().status?.traffic?.[0]?.revisionName).toBe('hello-00005');
});

test('revisions that nothing has pointed to for long go, but for the fewest that are kept', async () => {
  await start({ 'min-non-active-revisions': '1' }, 4);
  expect(names()).toHaveLength(4);
  await stage.clock.advance(49 * 3_600_000);
  expect(names()).toEqual(['hello-00003', 'hello-00004']);
});

test('a revision that is to be kept is kept', async () => {
  await start({ 'min-non-active-revisions': '0', 'max-non-active-revisions': '9' }, 2);
  const annotations = { 'serving.knative.dev/no-gc': 'true' };
  await stage.patch(ref('Revision', 'hello-00001'), { metadata: { annotations } });
  await stage.clock.advance(49 * 3_600_000);
  expect(names()).toEqual(['hello-00001', 'hello-00002']);
});
