import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application } from '#base/model';
import type { Transport } from '#kubernetes/client';
import { Commits, Life } from '../fault/control-plane.ts';
import { config, deployment, shop } from '../fault/shop.ts';
import { furnished, home, Stage } from '../fault/stage.ts';

// Attack 35: another version of the controller takes over, newer or older. The inputs are the same, so the status is the same, and
// nothing is applied or synced. That a store of a newer form is refused is in src/store.

let stage: Stage;
let repo: Commits;
let life: Life;
let writes: string[];

const by = { manager: 'jane' };
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'shop' };
const app = (): Application => stage.app('shop') as Application;
const isSettled = (): boolean => {
  const { operation, status } = app();
  return !operation && status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
};

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  repo = new Commits();
  writes = [];
  repo.commit([config('a', '1'), deployment('web', 'web:1', 1)]);
  begin();
  await stage.cluster.objects.create(shop(), by);
  await stage.until('settled', isSettled, 120_000);
});
afterEach(async () => {
  await life.end();
  await stage.close();
});

function begin(): void {
  const transport: Transport = (request) => {
    const { method, path } = request;
    if (method !== 'GET' && !/\/(?:events|applications)\b/.test(path)) writes.push(`${method} ${path}`);
    return stage.transport(request);
  };
  life = new Life(stage, { generate: repo.generate, watch: (ctx) => repo.watch(ctx), transport });
}

/** What users see of an application, without the times of comparisons. */
const shown = () => {
  const { reconciledAt, ...status } = app().status ?? {};
  return { ...status, health: status.health?.status };
};

/** Another version starts after this one has ended; `status` is what it finds changed in the status of the application. */
async function replacedBy(status: object): Promise<void> {
  await life.end();
  await stage.cluster.objects.patch(ref, { type: 'merge', body: { status } }, by);
  writes.length = 0;
  begin();
  await stage.clock.advance(600_000);
}

test('the next start of the same version changes nothing', async () => {
  const before = shown();
  await replacedBy({});
  expect(shown()).toEqual(before);
  expect(writes).toEqual([]);
});

test('a status of an older version, with fields missing, is completed and nothing is synced', async () => {
  const before = shown();
  await replacedBy({
    summary: null,
    resources: null,
    sourceType: null,
    controllerNamespace: null,
    reconciledAt: null,
  });
  expect(shown()).toEqual(before);
  expect(writes).toEqual([]);
});

test('a status of a newer version, with values that this one does not know, is no reason to sync', async () => {
  const { history, operationState, sync } = shown();
  await replacedBy({
    health: { status: 'Resting' },
    sync: { status: 'Deferred' },
    conditions: [{ type: 'Unheard', message: 'x' }],
  });
  expect(shown()).toMatchObject({ history, operationState, sync, health: 'Healthy' });
  expect(writes).toEqual([]);
});
