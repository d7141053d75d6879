import { afterEach, beforeEach, expect, test } from 'vitest';
import { annotation } from '#base/model';
import { Commits, Life } from '../../../../../test/fault/control-plane.ts';
import { SecondCluster } from '../../../../../test/fault/second-cluster.ts';
import { config, shop } from '../../../../../test/fault/shop.ts';
import { furnished, home, Stage } from '../../../../../test/fault/stage.ts';

let stage: Stage;
let second: SecondCluster;
let life: Life;

const by = { manager: 'jane' };
const minuteMs = 60_000;
const there = { server: SecondCluster.server, namespace: 'shop' };
const statusOf = (name: string) => stage.app(name)?.status ?? {};
const isWell = (name: string) => () =>
  statusOf(name).sync?.status === 'Synced' && statusOf(name).health?.status === 'Healthy';
const isUnknown = (name: string) => () =>
  statusOf(name).sync?.status === 'Unknown' && statusOf(name).health?.status === 'Unknown';
const told = (name: string): string => (statusOf(name).conditions ?? []).map(({ message }) => message).join();

/** One application on a second cluster, and one beside it on our own, both in sync. */
beforeEach(async () => {
  stage = await Stage.open(await furnished());
  second = await SecondCluster.open(stage);
  const repo = new Commits();
  repo.commit([config('a', '1')]);
  await stage.cluster.objects.create(second.secret(), by);
  await stage.cluster.objects.create(shop({ destination: there }, 'far'), by);
  await stage.cluster.objects.create(shop({}, 'near'), by);
  life = new Life(stage, { generate: repo.generate, open: second.open });
  await stage.until('both are well', () => isWell('far')() && isWell('near')());
});
afterEach(async () => {
  await life.end();
  await second.cluster.close();
  await stage.close();
});

test.each([
  ['is stopped', () => second.cut()],
  ['never answers again', () => second.hang('never answers')],
])(
  'a cluster that %s is reported within a minute, with since when, and recovers by itself',
  async (_how, lose) => {
    const lostAt = stage.clock.now().getTime();
    lose();
    await stage.until('it is reported', isUnknown('far'), minuteMs);
    const [, since = ''] = /cluster second is unreachable since (\S+):/.exec(told('far')) ?? [];
    expect(Date.parse(since) - lostAt).toBeGreaterThanOrEqual(-1000);
    expect(Date.parse(since) - lostAt).toBeLessThan(minuteMs);
    expect(statusOf('far').health?.message).toBe(`cluster second is unreachable since ${since}`);
    expect(statusOf('far').conditions?.[0]?.type).toBe('ComparisonError');
    expect(isWell('near')()).toBe(true);
    second.mend();
    await stage.until('it recovers', isWell('far'), 5 * minuteMs);
    expect(told('far')).toBe('');
  },
);

test('a refresh of an application whose cluster is lost says so too, in the same words for as long as it is', async () => {
  second.cut();
  await stage.until('it is reported', isUnknown('far'), minuteMs);
  const before = { ...statusOf('far'), reconciledAt: '' };
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'far' };
  const body = { metadata: { annotations: { [annotation.refresh]: 'normal' } } };
  await stage.kube.patch(stage.ctx, ref, { type: 'merge', body });
  const isAnswered = () => !stage.app('far')?.metadata.annotations?.[annotation.refresh];
  await stage.until('the refresh is answered', isAnswered, minuteMs);
  expect({ ...statusOf('far'), reconciledAt: '' }).toEqual(before);
});

test('a cluster that is away for a few seconds changes nothing', async () => {
  const before = stage.app('far')?.metadata.resourceVersion;
  second.cut();
  await stage.clock.advance(8_000);
  second.mend();
  await stage.clock.advance(40_000);
  expect(stage.app('far')?.metadata.resourceVersion).toBe(before);
  expect(isWell('far')()).toBe(true);
});
