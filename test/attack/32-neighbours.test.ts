import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { createKubeClient, type Transport } from '#kubernetes/client';
import { Commits, cacheOf, Life, type LifeOptions } from '../fault/control-plane.ts';
import { config, shop } from '../fault/shop.ts';
import { furnished, home, Stage } from '../fault/stage.ts';

// One application's trouble is no other's. How long work on a large one keeps the thread is in src/control/comparison and src/threads.

let stage: Stage;
let repo: Commits;
let life: Life | undefined;

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  repo = new Commits();
  repo.commit([config('a', '1')]);
});
afterEach(async () => {
  await life?.end();
  await stage.close();
});

const by = { manager: 'jane' };
const begin = (more: Partial<LifeOptions> = {}): void => {
  life = new Life(stage, { generate: repo.generate, ...more });
};
const statusOf = (name: string) => stage.app(name)?.status;

/** Another application is made and synced, and nobody is in its way. */
async function othersAreServed(): Promise<void> {
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', () => statusOf('shop')?.sync?.status === 'Synced', 1000);
}

const troubled = Array.from({ length: 60 }, (_, index) => `troubled-${index}`);

async function deployedTo(server: string): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'other', namespace: home, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 'other', server, config: '{}' },
  } as KubeObject;
  await stage.cluster.objects.create(secret, by);
  for (const name of troubled)
    await stage.cluster.objects.create(shop({ destination: { server, namespace: 'shop' } }, name), by);
}

const reachedBy =
  (transport: Transport): NonNullable<LifeOptions['open']> =>
  () => {
    const kube = createKubeClient({ transport });
    return { kube, cache: cacheOf(kube), close: () => {} };
  };

test('a cluster that refuses from the start delays nobody, and its applications say at once which it is', async () => {
  await deployedTo('https://refusing.example');
  const refused = () => Promise.reject(new FairleadError('Unavailable', 'connection refused'));
  begin({ open: reachedBy(refused) });
  await stage.quiet();
  await othersAreServed();
  await stage.clock.advance(60_000);
  for (const name of troubled) {
    expect(statusOf(name)?.sync?.status).toBe('Unknown');
    expect(statusOf(name)?.conditions).toMatchObject([
      {
        type: 'ComparisonError',
        message: expect.stringContaining('diff failure: cluster other cannot be read: '),
      },
    ]);
  }
});

test('a repository that never answers delays nobody who is elsewhere', async () => {
  for (const name of troubled) {
    const source = { repoURL: 'https://hung.example/repo', path: '.' };
    await stage.cluster.objects.create(shop({ source }, name), by);
  }
  const hung = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  begin({
    generate: (ctx, request) =>
      request.sources.some(({ repoURL }) => repoURL.includes('hung'))
        ? hung(ctx)
        : repo.generate(ctx, request),
  });
  await stage.quiet();
  await othersAreServed();
});

test('an application whose objects never stop changing delays nobody (#21506)', async () => {
  begin();
  const noisy = shop({ syncPolicy: {} }, 'noisy');
  await stage.cluster.objects.create(noisy, by);
  const annotations = { 'argocd.argoproj.io/tracking-id': 'noisy:/ConfigMap:shop/noise' };
  const noise = config('noise', '0');
  await stage.cluster.objects.create({ ...noise, metadata: { ...noise.metadata, annotations } }, by);
  await stage.until('compared', () => statusOf('noisy')?.sync !== undefined, 10_000);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'noise' };
  let changes = 0;
  const stop = new AbortController();
  const shouting = (async () => {
    while (!stop.signal.aborted) {
      for (let more = 0; more < 20; more++) {
        const body = { data: { value: String(changes++) } };
        await stage.cluster.objects.patch(ref, { type: 'merge', body }, by);
      }
      await stage.clock.sleep(5, stop.signal).catch(() => {});
    }
  })();
  await stage.clock.advance(1000);
  await othersAreServed();
  stop.abort();
  await shouting;
  expect(changes).toBeGreaterThan(1000);
});
