import { expect, test } from 'vitest';
import type { World } from '#look';
import { type Ctx, realClock, silent } from '#std';
import { inItsTurn } from './in-its-turn.ts';
import { Turns } from './turns.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const generate: World['manifests']['generate'] = async () => ({}) as never;
const world = { manifests: { generate } } as unknown as World;
const needs = { cluster: 'hung', repositories: ['repo'] };
const forever = new Promise<never>(() => {});

test('a pass that waits for its cluster has given its repository back', async () => {
  const called: string[] = [];
  const turns = new Turns({ most: () => 1, again: (key) => called.push(key) });
  let hasManifests = (): void => {};
  const reached = new Promise<void>((resolve) => {
    hasManifests = resolve;
  });
  const run = async (its: World): Promise<string> => {
    await its.manifests.generate(ctx, {} as never);
    hasManifests();
    return forever;
  };
  void inItsTurn(turns, { key: 'a', needs, world, run });
  const other = { cluster: 'fine', repositories: ['repo'] };
  expect(await inItsTurn(turns, { key: 'b', needs: other, world, run: async () => 'b' })).toBeUndefined();
  await reached;
  expect(called).toEqual(['b']);
  expect(await inItsTurn(turns, { key: 'b', needs: other, world, run: async () => 'b' })).toBe('b');
  expect(await inItsTurn(turns, { key: 'c', needs, world, run: async () => 'c' })).toBeUndefined();
});

test('what a pass never asked for, and what it asked for twice, it gives back once', async () => {
  const turns = new Turns({ most: () => 1, again: () => {} });
  const twice = async (its: World): Promise<void> => {
    await its.manifests.generate(ctx, {} as never);
    await its.manifests.generate(ctx, {} as never);
  };
  await inItsTurn(turns, { key: 'a', needs, world, run: twice });
  await expect(
    inItsTurn(turns, { key: 'a', needs, world, run: () => Promise.reject(new Error('no')) }),
  ).rejects.toThrow('no');
  expect(turns.enter('b', ['hung', 'repo'])).toBe(true);
  expect(turns.enter('c', ['repo'])).toBe(false);
});
