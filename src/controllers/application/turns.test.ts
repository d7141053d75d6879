import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('what depends on a thing that is busy is called when it is its turn, and holds nothing meanwhile', () => {
  const called: string[] = [];
  const turns = new Turns({ most: () => 2, again: (key) => called.push(key) });
  expect(['a', 'b', 'c', 'd'].map((key) => turns.enter(key, ['hung']))).toEqual([true, true, false, false]);
  expect(turns.enter('e', ['other'])).toBe(true);
  turns.leave(['hung']);
  expect(called).toEqual(['c']);
  expect([turns.enter('c', ['hung']), turns.enter('f', ['hung'])]).toEqual([true, false]);
  turns.leave(['hung']);
  turns.leave(['hung']);
  expect(called).toEqual(['c', 'd', 'f']);
});

test('all that something depends on is taken, or none of it', () => {
  const called: string[] = [];
  const turns = new Turns({ most: () => 1, again: (key) => called.push(key) });
  expect(turns.enter('a', ['cluster', 'repo'])).toBe(true);
  expect(turns.enter('b', ['free', 'repo'])).toBe(false);
  expect(turns.enter('c', ['free'])).toBe(true);
  turns.leave(['cluster', 'repo']);
  expect(called).toEqual(['b']);
});
