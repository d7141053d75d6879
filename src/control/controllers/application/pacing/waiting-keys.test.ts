import { expect, test } from 'vitest';
import { WaitingKeys } from './waiting-keys.ts';

function filled(...keys: readonly string[]): WaitingKeys {
  const waiting = new WaitingKeys();
  for (const key of keys) waiting.add(key);
  return waiting;
}

const all = (waiting: WaitingKeys): string[] => {
  const found: string[] = [];
  for (let key = waiting.next(); key !== undefined; key = waiting.next()) found.push(key);
  return found;
};

test('the oldest and the newest alternate', () => {
  expect(all(filled('a', 'b', 'c', 'd', 'e'))).toEqual(['a', 'e', 'b', 'd', 'c']);
});

test('a key is in it once, and not at all when it was deleted', () => {
  const waiting = filled('a', 'b', 'a', 'c');
  waiting.delete('b');
  expect([all(waiting), waiting.isEmpty]).toEqual([['a', 'c'], true]);
});

test('a newcomer is the second at most while those before it are given out in order', () => {
  const waiting = filled(...Array.from({ length: 350 }, (_one, at) => `hung ${at}`));
  waiting.next();
  waiting.add('newcomer');
  expect([waiting.next(), waiting.next()]).toEqual(['newcomer', 'hung 1']);
});

test('keys that come and go for long are each given out once', () => {
  const waiting = new WaitingKeys();
  for (let at = 0; at < 10_000; at++) {
    waiting.add(`key ${at % 7}`);
    if (at % 7 !== 3) waiting.delete(`key ${at % 7}`);
  }
  waiting.add('key 5');
  expect(all(waiting).sort()).toEqual(['key 3', 'key 5']);
});
