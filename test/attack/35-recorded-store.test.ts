import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import type { Transport } from '#kubernetes/client';
import { storedJson } from '../../src/embedded/apiserver/stored.ts';
import { Commits, Life } from '../fault/control-plane.ts';
import { config } from '../fault/shop.ts';
import { furnished, type Snapshot, Stage } from '../fault/stage.ts';

// Attack 35: this version starts on what an earlier one left in the store: an application after three syncs with hooks, waves and a
// deletion, everything that it deployed, and the pods of that. testdata/35-recorded-store.json was recorded from commit 5e39d4c8
// (18 November 2026); the definitions of our kinds are those of this version, as an upgrade applies them first.

type Recorded = {
  readonly at: string;
  readonly rv: number;
  readonly commits: readonly (readonly KubeObject[])[];
  readonly collections: readonly { readonly id: string; readonly items: readonly KubeObject[] }[];
};

const file = join(import.meta.dirname, 'testdata/35-recorded-store.json');
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

let stage: Stage;
let repo: Commits;
let life: Life | undefined;
const writes: string[] = [];
const before = recorded.collections.find(({ id }) => id === 'argoproj.io/applications')
  ?.items[0] as Application;

const read = (item: KubeObject) => storedJson.decode(Buffer.from(JSON.stringify(item)));

async function snapshot(): Promise<Snapshot> {
  const { rv, collections } = await furnished();
  return {
    rv: Math.max(rv, recorded.rv),
    collections: [
      ...collections.filter(({ id }) => id === definitions),
      ...recorded.collections.map(({ id, items }) => ({ id, items: items.map(read) })),
    ],
  };
}

beforeEach(async () => {
  stage = await Stage.open(await snapshot(), new Date(recorded.at));
  repo = new Commits();
  for (const objects of recorded.commits) repo.commit(objects);
  writes.length = 0;
  const transport: Transport = (request) => {
    const { method, path } = request;
    if (method !== 'GET' && !/\/(?:events|applications)\b/.test(path)) writes.push(`${method} ${path}`);
    return stage.transport(request);
  };
  life = new Life(stage, { generate: repo.generate, watch: (ctx) => repo.watch(ctx), transport });
});
afterEach(async () => {
  await life?.end();
  await stage.close();
});

const shown = ({ spec, operation, status = {} }: Application): unknown => {
  const { reconciledAt, ...rest } = status;
  return { spec, operation, status: rest };
};

test('the status stays as it was recorded, and nothing is written', async () => {
  expect(before.status?.sync?.revision).toBe(repo.head);
  await stage.clock.advance(3_600_000);
  const after = stage.app('shop') as Application;
  expect(after.status?.reconciledAt).not.toBe(before.status?.reconciledAt);
  expect(shown(after)).toEqual(shown(before));
  expect(writes).toEqual([]);
});

test('drift is healed, and the next commit is synced', async () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
  const valueNow = (): unknown =>
    (stage.cluster.objects.get(settings) as { data?: { value?: string } }).data?.value;
  const recordedValue = valueNow();
  const drift = { type: 'merge', body: { data: { value: 'changed by hand' } } } as const;
  await stage.cluster.objects.patch(settings, drift, { manager: 'jane' });
  await stage.until('healed', () => valueNow() === recordedValue);
  repo.commit([...(recorded.commits.at(-1) ?? []), config('new', '1')]);
  const syncs = (before.status?.history?.length ?? 0) + 1;
  await stage.until('synced', () => stage.app('shop')?.status?.history?.length === syncs);
  const { sync, history } = stage.app('shop')?.status ?? {};
  expect([sync?.status, sync?.revision, history?.at(-1)?.revision]).toEqual(['Synced', repo.head, repo.head]);
});
