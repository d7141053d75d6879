import { expect, test } from 'vitest';
import { SharedFrames } from './shared-frames.ts';

function counted() {
  const read: string[] = [];
  const frames = new SharedFrames((line: string) => {
    read.push(line);
    return { line };
  });
  return { read, frames };
}

test('what two watches of a kind are told is read once, and both hold one object', () => {
  const { read, frames } = counted();
  const [a, b] = [frames.join('Application'), frames.join('Application')];
  expect(a.read('1')).toBe(b.read('1'));
  expect(b.read('2')).toBe(a.read('2'));
  expect(read).toEqual(['1', '2']);
  a.read('1'); // both have read it: it is not kept for them
  expect(read).toEqual(['1', '2', '1']);
});

test('each of three watches gets the object, and a fourth telling is a new one', () => {
  const { read, frames } = counted();
  const all = [1, 2, 3].map(() => frames.join('Application'));
  expect(new Set(all.map((one) => one.read('1'))).size).toBe(1);
  all[0]?.read('1');
  expect(read).toEqual(['1', '1']);
});

test('a watch that is alone, or the last of its kind, keeps nothing', () => {
  const { read, frames } = counted();
  const [a, b, other] = [frames.join('Application'), frames.join('Application'), frames.join('Pod')];
  other.read('1');
  other.read('1');
  a.read('2');
  b.leave();
  a.read('2');
  expect(read).toEqual(['1', '1', '2', '2']);
});

test('what the other watch never reads is forgotten in time', () => {
  const { read, frames } = counted();
  const [a, b] = [frames.join('Application'), frames.join('Application')];
  const long = 'x'.repeat(200_000);
  for (const mark of ['1', '2', '3']) a.read(mark + long);
  b.read(`1${long}`);
  b.read(`3${long}`);
  expect(read.map(([mark]) => mark)).toEqual(['1', '2', '3', '1']);
});
