import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { silent, virtualClock } from '#base/std';
import { untilObserved, writeEach } from './write-each.ts';

const map = (name: string, bytes: number): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { text: 'x'.repeat(bytes) },
  }) as KubeObject;

function stage() {
  const clock = virtualClock();
  const untold = new Set<KubeObject>();
  const ctx = { clock, log: silent, signal: new AbortController().signal };
  const cache = { owes: (object: KubeObject) => untold.has(object) };
  const write = async (object: KubeObject) => {
    untold.add(object);
    await untilObserved(ctx, cache, object);
  };
  return { clock, untold, write };
}

test('attack 32: of what is large no more is written than the watches have told of', async () => {
  const { clock, untold, write } = stage();
  const objects = Array.from({ length: 12 }, (_one, index) => map(`large-${index}`, 200_000));
  const all = writeEach(objects, (object) => object, write);
  await clock.advance(100);
  expect(untold.size).toBe(4);
  const [first] = untold;
  if (first) untold.delete(first);
  await clock.advance(100);
  expect(untold.size).toBe(4);
  expect(untold.has(objects[4] as KubeObject)).toBe(true);
  while (untold.size > 0) {
    untold.clear();
    await clock.advance(100);
  }
  await all;
});

test('what is small is not waited for, and a watch that tells nothing for long is not either', async () => {
  const { clock, untold, write } = stage();
  const small = Array.from({ length: 100 }, (_one, index) => map(`small-${index}`, 1_000));
  await writeEach(small, (object) => object, write);
  expect(untold.size).toBe(100);
  await clock.autoAdvance(write(map('large', 200_000)));
});
