import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const ref = { apiVersion: 'batch/v1', kind: 'CronJob', namespace: 'default', name: 'tick' };
const jobs = () => stage.objects.list({ apiVersion: 'batch/v1', kind: 'Job' }, { namespace: 'default' });
const cronJob = (spec: object = {}, annotations = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tick', namespace: 'default' },
  spec: {
    schedule: '*/1 * * * *',
    jobTemplate: {
      spec: {
        template: {
          metadata: { annotations },
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'tool:1' }] },
        },
      },
    },
    ...spec,
  },
});

test('a job is made every minute, named for it, and the last three are kept', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(cronJob());
  await stage.clock.advance(59_000);
  expect(jobs()).toHaveLength(0);
  await stage.clock.advance(3000);
  const minute = Date.parse('2024-01-01T00:01:00Z') / 60_000;
  expect(jobs().map(({ metadata }) => metadata.name)).toEqual([`tick-${minute}`]);
  await stage.clock.advance(5 * 60_000);
  await stage.cluster.settled();
  await stage.clock.advance(100);
  expect(jobs()).toHaveLength(3);
  expect(stage.read<KubeObject>(ref).status).toMatchObject({
    lastScheduleTime: '2024-01-01T00:06:00Z',
    lastSuccessfulTime: '2024-01-01T00:06:01Z',
  });
});

test('what is still running can forbid the next', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(cronJob({ concurrencyPolicy: 'Forbid' }, { 'simulate.fairlead.io/run-for': '150s' }));
  await stage.clock.advance(3 * 60_000 + 5000);
  expect(jobs()).toHaveLength(1);
});

test('what is suspended makes nothing', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(cronJob({ suspend: true }));
  await stage.clock.advance(3 * 60_000);
  expect(jobs()).toHaveLength(0);
});

test('an interval is counted from the last job, in any time zone', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(cronJob({ schedule: '@every 90s', timeZone: 'Europe/Berlin' }));
  await stage.clock.advance(4 * 60_000);
  expect(stage.read<KubeObject>(ref).status).toMatchObject({ lastScheduleTime: '2024-01-01T00:03:00Z' });
});
