import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { isReady, type Pod } from './view.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p' };
const read = () => stage.read<Pod>(ref);
const container = () => read().status?.containerStatuses?.[0];

async function start(spec: object, annotations: Record<string, string> = {}): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  const metadata = { name: 'p', namespace: 'default', annotations };
  await stage.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

const running = (image: string) => ({ containers: [{ name: 'c', image }] });
const once = (image: string, more: object = {}) => ({ ...running(image), restartPolicy: 'Never', ...more });
const say = (outcome: string, more: Record<string, string> = {}) => ({
  'simulate.fairlead.io/outcome': outcome,
  ...more,
});

test.each([
  ['by its image', running('app:out-of-memory'), {}],
  ['by an annotation', running('app:1'), say('out-of-memory')],
])('a container runs out of memory, %s', async (_how, spec, annotations) => {
  await start(spec, annotations);
  await stage.clock.advance(1000);
  expect(container()?.state.waiting?.reason).toBe('CrashLoopBackOff');
  expect(container()?.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
});

test.each([
  ['by its image', running('app:flapping'), {}],
  [
    'by an annotation, as often as it says',
    running('app:1'),
    say('flapping', { 'simulate.fairlead.io/period': '10s' }),
  ],
])('a container is ready and not ready by turns, %s', async (_how, spec, annotations) => {
  await start(spec, annotations);
  const seen: boolean[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await stage.clock.advance(turn === 0 ? 1000 : 10_000);
    seen.push(isReady(read()));
  }
  expect(seen).toEqual([true, false, true, false]);
  expect(container()?.restartCount).toBe(0);
});

test.each([
  ['by its image', once('tool:job-hang'), {}],
  ['by an annotation', once('tool:1'), say('hang')],
  [
    'by its command',
    once('tool:1', { containers: [{ name: 'c', image: 'x:1', command: ['sleep', 'infinity'] }] }),
    {},
  ],
])('work is never done, %s', async (_how, spec, annotations) => {
  await start(spec, annotations);
  await stage.clock.advance(3_600_000);
  expect(read().status?.phase).toBe('Running');
  expect(isReady(read())).toBe(true);
});

test('a container fails so many times and then runs', async () => {
  await start(running('app:1'), say('fail:2'));
  await stage.clock.advance(60_000);
  expect(container()).toMatchObject({ restartCount: 2, ready: true });
});

test('a container ends with the code it is told to', async () => {
  await start(once('tool:1'), say('exit:42', { 'simulate.fairlead.io/run-for': '3s' }));
  await stage.clock.advance(2000);
  expect(read().status?.phase).toBe('Running');
  await stage.clock.advance(2000);
  expect(container()?.state.terminated).toMatchObject({ exitCode: 42, reason: 'Error' });
});

test('an annotation can undo what the image says', async () => {
  await start(running('app:crash-loop'), say('succeed'));
  await stage.clock.advance(1000);
  expect(isReady(read())).toBe(true);
});

test('a pod is given only so long', async () => {
  await start({ ...running('app:1'), activeDeadlineSeconds: 5 });
  await stage.clock.advance(10_000);
  expect(read().status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
});
