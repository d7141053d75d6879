import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DeliveryGround, deliveryGround } from '../../../../test/delivery-ground.ts';

// The Job metric while its pods fail, retry or never start. Time is virtual.

let ground: DeliveryGround;
beforeEach(async () => {
  ground = await deliveryGround();
});
afterEach(() => ground.stop());

type Case = { readonly image: string; readonly restartPolicy: string; readonly backoffLimit?: number };

async function measured({ image, restartPolicy, backoffLimit }: Case) {
  ground.start();
  const template = { spec: { restartPolicy, containers: [{ name: 'main', image }] } };
  const spec = { ...(backoffLimit !== undefined && { backoffLimit }), template };
  await ground.create('AnalysisRun', 'smoke', { metrics: [{ name: 'smoke', provider: { job: { spec } } }] });
}

const verdict = async () => (await ground.runs())[0]?.status ?? {};
const measurement = async () => (await verdict()).metricResults?.[0]?.measurements?.[0];

test.each([
  ['a Job between two retries', { restartPolicy: 'Never' }],
  ['a container in CrashLoopBackOff', { restartPolicy: 'OnFailure', backoffLimit: 8 }],
])('RA-16: %s measures until the Job itself fails', async (_what, of) => {
  await measured({ image: 'smoke:job-fail', ...of });
  await ground.pass(400);
  expect(await verdict()).toMatchObject({ phase: 'Running' });
  await ground.pass(3600);
  expect(await verdict()).toMatchObject({ phase: 'Failed' });
  expect((await measurement())?.message).toContain('backoff limit');
});

test('RQ-12: a Job without a pod that ever started is inconclusive after five minutes, and is deleted', async () => {
  await measured({ image: 'smoke:image-pull-error', restartPolicy: 'Never' });
  await ground.pass(290);
  expect(await verdict()).toMatchObject({ phase: 'Running' });
  await ground.pass(60);
  expect(await verdict()).toMatchObject({ phase: 'Inconclusive' });
  expect((await measurement())?.message).toContain('started within 5 minutes');
  const jobs = await ground.kube.list(ground.ctx, { apiVersion: 'batch/v1', kind: 'Job' });
  expect(jobs.items).toEqual([]);
});
