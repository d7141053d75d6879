import { expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { type Ctx, printJson, realClock, silent } from '#base/std';
import { bytes, json, memoryStore } from '#platform/store';
import { turnsDuring } from '../../../test/turns.ts';
import { renderKeyOf } from './render-key.ts';
import { RenderStore } from './render-store.ts';
import { traceOf } from './trace.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const limits = { memory: 1e9, disk: 1e9, entries: 100, keepMs: 1e9 };
const trees = new Map([['', memoryTree({ 'a.yaml': 'x' })]]);
const trace = traceOf(new Map([['', [{ question: 'hash', path: 'a.yaml', answer: 'x' }]]]), trees);
const question = renderKeyOf(['app', 'repo', 'path'], { type: 'Directory' });

/** So many objects of some 20 KB, as they are written. */
const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    printJson({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `cm-${index}` },
      data: Object.fromEntries(
        Array.from({ length: 200 }, (_one, key) => [`key-${key}`, `${index}`.padEnd(90, 'é')]),
      ),
    }),
  );

async function stored(count: number) {
  const store = memoryStore();
  const renders = new RenderStore(store, limits);
  const told = { trace, commands: ['make'], warnings: ['careful'], isSecret: false };
  renders.put(ctx, question, {}, { ...told, texts: texts(count) });
  const turns = await turnsDuring(renders.settled());
  return { store, renders, turns };
}

test('attack 32: thirty megabytes are written and read with everybody else in between', async () => {
  const { renders, turns, store } = await stored(1500);
  expect(turns).toBeGreaterThan(2);
  const pieces = [...store.table('render-bodies', bytes).range()].map(([, piece]) => piece.length);
  expect(Math.max(...pieces)).toBeLessThan(512 * 1024);
  const finding = renders.find(ctx, question.key, trees);
  expect(await turnsDuring(finding)).toBeGreaterThan(2);
  const found = await finding;
  if (!found || !('objects' in found)) return expect.unreachable();
  expect(found.objects.map((object) => printJson(object)).join() === texts(1500).join()).toBe(true);
  expect(found).toMatchObject({ commands: ['make'], warnings: ['careful'], trace });
  expect(Object.isFrozen(found.objects[7]?.metadata)).toBe(true);
});

test('a result that lacks a piece, or has the pieces of another, is as good as absent', async () => {
  for (const spoil of ['lost', 'exchanged'] as const) {
    const { renders, store } = await stored(40);
    const pieces = store.table('render-bodies', bytes);
    const [first, second] = [...pieces.range()];
    if (!first || !second) return expect.unreachable();
    await store.write([spoil === 'lost' ? pieces.remove(second[0]) : pieces.put(second[0], first[1])]);
    expect(await renders.find(ctx, question.key, trees)).toBeUndefined();
  }
});

test('a result that is replaced or dropped leaves no piece behind', async () => {
  const { renders, store } = await stored(40);
  const told = { trace, commands: [], warnings: [], isSecret: false };
  renders.put(ctx, question, {}, { ...told, texts: texts(1) });
  await renders.settled();
  expect([...store.table('render-bodies', bytes).range()]).toHaveLength(1);
  const small = new RenderStore(store, { ...limits, disk: 10 });
  small.put(ctx, renderKeyOf(['app', 'repo', 'other'], {}), {}, { ...told, texts: texts(1) });
  await small.settled();
  expect([...store.table('render-notes', json()).range()]).toHaveLength(1);
  expect([...store.table('render-bodies', bytes).range()]).toHaveLength(1);
});
