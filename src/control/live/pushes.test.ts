import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import type { Push } from '#engine';
import { Pushes } from './pushes.ts';

const push = (revision: string, ...changedFiles: string[]): Push => ({
  webUrl: 'https://h/r',
  revision,
  touchedHead: false,
  changedFiles,
});

async function taken(pushes: Pushes, count: number): Promise<Push[]> {
  const stop = new AbortController();
  const found: Push[] = [];
  for await (const one of pushes.take({ signal: stop.signal, log: silent, clock: realClock })) {
    if (found.push(one) === count) stop.abort();
  }
  return found;
}

test('a branch that is told a thousand times is looked at once, with all its files', async () => {
  const pushes = new Pushes();
  for (let index = 0; index < 1000; index++) pushes.add(push('main', `f${index % 3}`));
  pushes.add(push('other', 'x'));
  expect(await taken(pushes, 2)).toEqual([push('main', 'f0', 'f1', 'f2'), push('other', 'x')]);
});

test('when one of them does not say which files changed, all may have', async () => {
  const pushes = new Pushes();
  pushes.add(push('main', 'a'));
  pushes.add({ ...push('main'), touchedHead: true });
  pushes.add(push('main', 'b'));
  expect(await taken(pushes, 1)).toEqual([{ ...push('main'), touchedHead: true }]);
});

test('what comes while somebody waits is seen, and a reader ends with its ctx', async () => {
  const pushes = new Pushes();
  const reading = taken(pushes, 2);
  pushes.add(push('one'));
  await Promise.resolve();
  pushes.add(push('two'));
  expect(await reading).toEqual([push('one'), push('two')]);
});

test('there is an end to what is kept, and then it is said', () => {
  const pushes = new Pushes();
  const added = Array.from({ length: 50_000 }, (_, index) => pushes.add(push(`b${index}`)));
  expect(added.indexOf(false)).toBe(-1);
  expect(pushes.add(push('one-too-many'))).toBe(false);
  expect(pushes.add(push('b0'))).toBe(true);
});
