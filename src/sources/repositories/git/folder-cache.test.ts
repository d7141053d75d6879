import { expect, test } from 'vitest';
import { FolderCache } from './folder-cache.ts';
import type { Folder } from './tree.ts';

const folder = (hash: string, count: number): Folder => ({
  ...{ hash, expanse: count, links: [], gitlinks: [], entries: new Map() },
  names: Array.from({ length: count }, (_one, at) => `f${at}`),
});

test('folders count by what they hold, and the ones used longest ago are evicted', () => {
  const cache = new FolderCache<Folder>(100_000);
  cache.set('large', folder('large', 300), false);
  cache.set('small', folder('small', 3), false);
  expect(cache.get('large', false)?.hash).toBe('large');
  cache.set('other', folder('other', 300), false);
  expect(cache.bytes).toBeLessThanOrEqual(100_000);
  expect([cache.get('small', false), cache.get('large', false)?.hash]).toEqual([undefined, undefined]);
  expect(cache.get('other', false)?.hash).toBe('other');
});

test('the roots of past commits are evicted, what later commits share with them is not', () => {
  const cache = new FolderCache<Folder>(10_000_000);
  const sizes: number[] = [];
  cache.set('shared', folder('shared', 10), false);
  for (let commit = 0; commit < 100; commit++) {
    cache.set(`root ${commit}`, folder(`root ${commit}`, 100), true);
    if (commit % 10 === 9) cache.evictIdle();
    sizes.push(cache.bytes);
  }
  expect(Math.max(...sizes.slice(50))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 50)));
  expect(cache.get('shared', false)?.hash).toBe('shared');
});
