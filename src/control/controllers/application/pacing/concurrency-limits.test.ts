import { expect, test } from 'vitest';
import { type Ctx, silent, virtualClock } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { ConcurrencyLimits } from './concurrency-limits.ts';

const clock = virtualClock({ start: new Date('2026-06-01T00:00:00Z') });
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };
const generate: ComparisonDeps['manifests']['generate'] = async () => ({}) as never;
const context = { manifests: { generate } } as unknown as ComparisonDeps;
const needs = { cluster: 'cluster hung', repositories: ['repo'] };
const forever = new Promise<never>(() => {});
const done = { requeueAfter: 1 };

function line(most: number) {
  const [called, told]: [string[], string[]] = [[], []];
  const turns = new ConcurrencyLimits({
    clock,
    most: () => most,
    requeue: (key) => called.push(key),
    reportWaiting: async (_ctx, key, why) => {
      told.push(`${key}: ${why}`);
    },
  });
  return { turns, called, told };
}

test('a pass that waits for its cluster has given its repository back', async () => {
  const { turns, called } = line(1);
  let hasManifests = (): void => {};
  const reached = new Promise<void>((resolve) => {
    hasManifests = resolve;
  });
  const run = async (its: ComparisonDeps): Promise<never> => {
    await its.manifests.generate(ctx, {} as never);
    hasManifests();
    return forever;
  };
  void turns.run(ctx, { key: 'a', needs, context, run });
  const other = { cluster: 'fine', repositories: ['repo'] };
  const short = async () => done;
  expect(await turns.run(ctx, { key: 'b', needs: other, context, run: short })).toBeUndefined();
  await reached;
  expect(called).toEqual(['b']);
  expect(await turns.run(ctx, { key: 'b', needs: other, context, run: short })).toBe(done);
  expect(await turns.run(ctx, { key: 'c', needs, context, run: short })).not.toBe(done);
});

test('what a pass never asked for, and what it asked for twice, it gives back once', async () => {
  const { turns } = line(1);
  const twice = async (its: ComparisonDeps): Promise<undefined> => {
    await its.manifests.generate(ctx, {} as never);
    await its.manifests.generate(ctx, {} as never);
  };
  await turns.run(ctx, { key: 'a', needs, context, run: twice });
  const refused = () => Promise.reject(new Error('no'));
  await expect(turns.run(ctx, { key: 'a', needs, context, run: refused })).rejects.toThrow('no');
  void turns.run(ctx, { key: 'b', needs, context, run: () => forever });
  const elsewhere = { cluster: 'fine', repositories: ['repo'] };
  expect(
    await turns.run(ctx, { key: 'c', needs: elsewhere, context, run: async () => done }),
  ).toBeUndefined();
});

test('who stands in line for a cluster that does not answer is told so, once each time', async () => {
  const { turns, called, told } = line(2);
  const ends: (() => void)[] = [];
  const hanging = () => new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
  const first = ['a', 'b'].map((key) => turns.run(ctx, { key, needs, context, run: hanging }));
  const pass = { key: 'c', needs, context, run: hanging };
  expect(await turns.run(ctx, pass)).toEqual({ requeueAfter: 30_000 });
  await clock.advance(20_000);
  expect(await turns.run(ctx, pass)).toEqual({ requeueAfter: 10_000 });
  expect(told).toEqual([]);
  await clock.advance(10_000);
  for (let asked = 0; asked < 3; asked++)
    expect(await turns.run(ctx, pass)).toEqual({ requeueAfter: 30_000 });
  const why =
    'blocked by the concurrency limit of cluster hung, which has been unresponsive since 2026-06-01T00:00:00Z';
  expect(told).toEqual([`c: ${why}`]);
  for (const end of ends.splice(0)) end();
  await Promise.all(first);
  expect(called).toEqual(['c']);
});

test('a cluster that is busy and answers keeps nobody in the dark', async () => {
  const { turns, told } = line(1);
  for (let round = 0; round < 5; round++) {
    let end = (): void => {};
    const run = () => new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
    const one = turns.run(ctx, { key: 'a', needs, context, run });
    await turns.run(ctx, { key: 'b', needs, context, run: async () => done });
    await clock.advance(20_000);
    await turns.run(ctx, { key: 'b', needs, context, run: async () => done });
    end();
    await one;
  }
  expect(told).toEqual([]);
});

test('hundreds of repositories that hang leave a cluster to whose repository answers', async () => {
  const called: string[] = [];
  const turns = new ConcurrencyLimits({
    clock,
    requeue: (key) => called.push(key),
    reportWaiting: async () => {},
  });
  let ended = 0;
  const silentHost = {
    manifests: { generate: () => forever },
  } as unknown as ComparisonDeps;
  const asks = async (its: ComparisonDeps): Promise<undefined> => {
    await its.manifests.generate(ctx, {} as never).finally(() => {
      ended += 1;
    });
  };
  const on = (at: number) => ({
    cluster: 'cluster home',
    repositories: [`repository r${at}`, `host h${at}`, 'project p'],
  });
  const hanging = (at: number) =>
    turns.run(ctx, { key: `${at}`, needs: on(at), context: silentHost, run: asks });
  for (let at = 0; at < 350; at++) void hanging(at);
  // each that found no room is called again as those before it turn out to be slow
  for (let rounds = 0; rounds < 20; rounds++) {
    await clock.advance(250);
    for (const key of called.splice(0)) void hanging(Number(key));
  }
  const innocent = { key: 'innocent', needs: on(999), context, run: async () => done };
  expect(await turns.run(ctx, innocent)).toBe(done);
  expect(ended).toBe(0);
});

test.each([
  ['cluster', 40],
  ['host', 32],
  ['project', 500],
])('one %s is waited for by %d at a time', async (kind, most) => {
  const turns = new ConcurrencyLimits({ clock, requeue: () => {}, reportWaiting: async () => {} });
  const needing = (thing: string, at: number) =>
    turns.run(ctx, {
      key: `${thing} ${at}`,
      needs: { cluster: `cluster ${at}`, repositories: [`repository ${at}`, thing] },
      context,
      run: () => (thing === `${kind} bad` ? forever : Promise.resolve(done)),
    });
  for (let at = 0; at < most; at++) void needing(`${kind} bad`, at);
  expect(await needing(`${kind} bad`, most)).toBeUndefined();
  expect(await needing(`${kind} good`, most + 1)).toBe(done);
});
