import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Application, finalizer } from '#base/model';
import { Commits, Life, type LifeOptions } from './control-plane.ts';
import { type Hang, SecondCluster } from './second-cluster.ts';
import { config, shop } from './shop.ts';
import { furnished, home, Stage } from './stage.ts';

/** More than there are turns for one cluster, and for one repository. */
const many = 45;
/** What others may notice of it. */
const atOnceMs = 1_000;

let stage: Stage;
let second: SecondCluster;
let repo: Commits;
let life: Life | undefined;

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  second = await SecondCluster.open(stage);
  repo = new Commits();
});
afterEach(async () => {
  await life?.end();
  await second.cluster.close();
  await stage.close();
});

const by = { manager: 'jane' };
const refOf = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace: home,
  name,
});
/** Each application has objects of its own. */
const generate: LifeOptions['generate'] = async (ctx, request) => {
  const { objects, ...rest } = await repo.generate(ctx, request);
  const own = (name: string): string => `${request.app.name}-${name}`;
  return {
    ...rest,
    objects: objects.map((one) => ({
      ...one,
      metadata: { ...one.metadata, name: own(one.metadata.name) },
    })),
  };
};
const begin = (more: Partial<LifeOptions> = {}): void => {
  life = new Life(stage, { generate, open: second.open, watch: (ctx) => repo.watch(ctx), ...more });
};
const hung = Array.from({ length: many }, (_, index) => `hung-${index}`);
const there = { server: SecondCluster.server, namespace: 'shop' };
const letGo = (app: Application): Application => ({
  ...app,
  metadata: { ...app.metadata, finalizers: [finalizer.resources] },
});
const statuses = () => hung.map((name) => stage.app(name)?.status);
const isAt = (name: string, revision: string): boolean => {
  const { sync, operationState } = stage.app(name)?.status ?? {};
  return sync?.status === 'Synced' && sync.revision === revision && operationState?.phase === 'Succeeded';
};

/** Many applications on the second cluster, and one beside them on our own, all of one repository and in sync. */
async function settled(): Promise<void> {
  await stage.cluster.objects.create(second.secret(), by);
  for (const name of hung) await stage.cluster.objects.create(letGo(shop({ destination: there }, name)), by);
  await stage.cluster.objects.create(letGo(shop()), by);
  repo.commit([config('a', '1')]);
  begin();
  await stage.until('all in sync', () => ['shop', ...hung].every((name) => isAt(name, repo.head)));
}

test.each<Hang>(['never answers', 'stops half way'])(
  'attack 32: a cluster that %s is there when we start, and everybody else begins at once',
  async (how) => {
    second.hang(how);
    await stage.cluster.objects.create(second.secret(), by);
    for (const name of hung) await stage.cluster.objects.create(shop({ destination: there }, name), by);
    await stage.cluster.objects.create(shop(), by);
    repo.commit([config('a', '1')]);
    begin();
    await stage.until('synced', () => isAt('shop', repo.head), atOnceMs);
    const told = () => statuses().map((status) => status?.conditions?.[0]?.message ?? '');
    await stage.until(
      'told',
      () => told().every((message) => /cluster second cannot be read/.test(message)),
      180_000,
    );
    expect(new Set(statuses().map((status) => status?.sync?.status))).toEqual(new Set(['Unknown']));
    second.mend();
    await stage.until('synced there', () => hung.every((name) => isAt(name, repo.head)), 180_000);
  },
);

test('attack 32: a cluster that hangs keeps nobody of the same repository from being synced while its own syncs wait', async () => {
  await settled();
  second.hang('never answers');
  repo.commit([config('a', '2')]);
  await stage.until('synced', () => isAt('shop', repo.head), atOnceMs);
  repo.commit([config('a', '3')]);
  await stage.until('synced again', () => isAt('shop', repo.head), atOnceMs);
  await stage.clock.advance(60_000);
  repo.commit([config('a', '4')]);
  await stage.until('synced later', () => isAt('shop', repo.head), atOnceMs);
  // whoever waits is told after the first minute why
  const waiting = statuses().map((one) => one?.operationState?.message ?? '');
  expect(
    waiting.filter((message) => /waiting for the cluster, which is unresponsive/.test(message)),
  ).toHaveLength(40);
  // and so is whoever stands in line behind them
  const inLine = (): number =>
    statuses().filter((one) =>
      /^blocked by the concurrency limit of cluster \S+, which has been unresponsive since/.test(
        one?.operationState?.message ?? '',
      ),
    ).length;
  expect(inLine()).toBe(many - 40);
  // a write is tried five times, a minute each, before it is given up and told
  const told = (): number =>
    statuses().filter((one) => JSON.stringify(one?.operationState ?? {}).includes('took longer than 60 s'))
      .length;
  await stage.until('told', () => told() >= 40, 400_000);
  second.mend();
  await stage.until('synced there', () => hung.every((name) => isAt(name, repo.head)), 600_000);
  expect(inLine()).toBe(0);
});

test('attack 32: a cluster that hangs keeps nobody from being deleted elsewhere', async () => {
  await settled();
  second.hang('never answers');
  for (const name of hung) await stage.cluster.objects.remove(refOf(name), {}, by);
  await stage.quiet();
  await stage.cluster.objects.remove(refOf('shop'), {}, by);
  await stage.until('deleted', () => stage.app('shop') === undefined, atOnceMs);
  await stage.clock.advance(120_000);
  expect(hung.every((name) => stage.app(name)?.metadata.finalizers?.length === 1)).toBe(true);
  second.mend();
  await stage.until('deleted there', () => hung.every((name) => !stage.app(name)), 600_000);
  expect(second.names()).toEqual([]);
});

test('attack 32: a repository that never answers keeps nobody of another one waiting', async () => {
  repo.commit([config('a', '1')]);
  const hanging: LifeOptions['generate'] = (ctx, request) => {
    if (request.sources[0]?.repoURL !== 'https://hung.example/shop') return generate(ctx, request);
    return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)));
  };
  const source = { repoURL: 'https://hung.example/shop', path: '.' };
  for (const name of hung) await stage.cluster.objects.create(shop({ source }, name), by);
  begin({ generate: hanging });
  await stage.quiet();
  await stage.cluster.objects.create(shop(), by);
  await stage.until('synced', () => isAt('shop', repo.head), atOnceMs);
});
