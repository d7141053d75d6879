import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asKubeObject } from '#base/model';
import { type Ctx, parseJson, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { warnOfRollouts } from './warn-of-rollouts.ts';

let cluster: EmbeddedCluster;
beforeEach(async () => {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock, webhooks: warnOfRollouts });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'test', force: true });
});
afterEach(() => cluster.close());

const path = '/apis/argoproj.io/v1alpha1/namespaces/default';

async function send(method: string, to: string, body: object): Promise<string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const { status, headers } = await cluster.handle({
    ...{ method, path: `${path}/${to}` },
    headers: { 'content-type': type },
    body: Buffer.from(JSON.stringify({ apiVersion: 'argoproj.io/v1alpha1', ...body })),
    signal: new AbortController().signal,
  });
  return `${status} ${headers.warning ?? ''}`;
}

const rollout = (steps: readonly object[]): object => ({
  kind: 'Rollout',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary: { steps } },
  },
});

test('RC-4: what the controller would refuse is accepted with a warning, until the spec is mended', async () => {
  expect(await send('POST', 'rollouts', rollout([{ setWeight: 120 }]))).toMatch(/^201 299 - ".*setWeight/);
  const again = { metadata: { labels: { a: 'b' } } };
  expect(await send('PATCH', 'rollouts/web', again), 'another field').toBe('200 ');
  const worse = { spec: { strategy: { canary: { steps: [{ setWeight: -1 }] } } } };
  expect(await send('PATCH', 'rollouts/web', worse)).toMatch(/^200 299 - ".*setWeight/);
  const mended = { spec: { strategy: { canary: { steps: [{ setWeight: 20 }] } } } };
  expect(await send('PATCH', 'rollouts/web', mended)).toBe('200 ');
});

test('RC-4: so is a metric that ends otherwise than it was meant', async () => {
  const metrics = [
    {
      name: 'rate',
      interval: '1m',
      successCondition: 'result > 0',
      provider: { prometheus: { query: 'up' } },
    },
  ];
  const template = { kind: 'AnalysisTemplate', metadata: { name: 'rate' }, spec: { metrics } };
  expect(await send('POST', 'analysistemplates', template)).toMatch(
    /^201 299 - ".*interval without count: Argo Rollouts would refuse it/,
  );
  const fine = { ...template, metadata: { name: 'fine' }, spec: { metrics: [{ ...metrics[0], count: 3 }] } };
  expect(await send('POST', 'analysistemplates', fine)).toBe('201 ');
});
