import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Backoff, delayOf, virtualClock } from '#base/std';
import { type Lane, WorkQueue } from './work-queue.ts';

const backoff: Backoff = { initialMs: 100, factor: 2, maxMs: 1000 };

/** The queue again, in the plainest words: lists, and no care for speed. */
class Model {
  now = 0;
  readonly lanes: Record<Lane, string[]> = { prompt: [], bulk: [] };
  readonly working = new Map<string, Lane | undefined>();
  readonly failures = new Map<string, number>();
  readonly handed: string[] = [];
  delayed: { key: string; due: number; lane: Lane }[] = [];
  waiting = 0;
  prompts = 0;

  get length(): number {
    return this.lanes.prompt.length + this.lanes.bulk.length;
  }
  add(key: string, lane: Lane): void {
    const { prompt, bulk } = this.lanes;
    if (this.working.has(key)) {
      this.working.set(key, this.working.get(key) === 'prompt' ? 'prompt' : lane);
    } else if (bulk.includes(key) && lane === 'prompt') {
      bulk.splice(bulk.indexOf(key), 1);
      prompt.push(key);
    } else if (!bulk.includes(key) && !prompt.includes(key)) {
      this.line(key, lane);
    }
  }
  line(key: string, lane: Lane): void {
    if (this.waiting === 0) this.lanes[lane].push(key);
    else this.hand(key);
    this.waiting = Math.max(0, this.waiting - 1);
  }
  hand(key: string): void {
    expect(this.working.has(key)).toBe(false);
    this.working.set(key, undefined);
    this.handed.push(key);
  }
  addAfter(key: string, ms: number, lane: Lane): void {
    const known = this.delayed.find((d) => d.key === key);
    const due = this.now + ms;
    if (known && lane === 'prompt') known.lane = lane;
    if (known && known.due <= due) return;
    this.delayed = this.delayed.filter((d) => d !== known);
    this.delayed.push({ key, due, lane: known?.lane ?? lane });
  }
  retry(key: string): void {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    this.addAfter(key, delayOf(backoff, failures, 0), 'bulk');
  }
  forget(key: string): void {
    this.failures.delete(key);
  }
  take(): void {
    const { prompt, bulk } = this.lanes;
    const isBulk = bulk.length > 0 && (prompt.length === 0 || this.prompts === 7);
    this.prompts = isBulk || bulk.length === 0 ? 0 : this.prompts + 1;
    const key = (isBulk ? bulk : prompt).shift();
    if (key) this.hand(key);
    else this.waiting += 1;
  }
  done(key: string): void {
    const lane = this.working.get(key);
    this.working.delete(key);
    if (lane) this.line(key, lane);
  }
  pass(ms: number): void {
    this.now += ms;
    const due = this.delayed.filter((d) => d.due <= this.now).sort((a, b) => a.due - b.due);
    this.delayed = this.delayed.filter((d) => d.due > this.now);
    for (const { key, lane } of due) this.add(key, lane);
  }
}

/** The real queue and its model, side by side. */
function bench() {
  const clock = virtualClock();
  const stop = new AbortController();
  const queue = new WorkQueue({ clock, backoff, random: () => 0 });
  const model = new Model();
  const handed: (string | undefined)[] = [];
  return {
    both: [queue, model],
    model,
    clock,
    kept: queue.keepTime(stop),
    take() {
      model.take();
      queue.next(stop).then((key) => handed.push(key), expect.unreachable);
    },
    compare() {
      expect(handed).toEqual(model.handed);
      expect(queue.length).toBe(model.length);
    },
    stop: () => stop.abort(),
  };
}
type Bench = ReturnType<typeof bench>;
type Step = { name: string; run(on: Bench): void | Promise<void> };

const step = (name: string, run: Step['run']): Step => ({ name, run });
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const lane = fc.constantFrom<Lane>('prompt', 'bulk');
const ms = fc.integer({ min: 1, max: 300 });

const add = fc.tuple(key, lane).map(([k, l]) =>
  step(`add ${k} ${l}`, ({ both }) => {
    for (const q of both) q.add(k, l);
  }),
);
const addAfter = fc.tuple(key, ms, lane).map(([k, n, l]) =>
  step(`add ${k} after ${n} ${l}`, ({ both }) => {
    for (const q of both) q.addAfter(k, n, l);
  }),
);
const retry = key.map((k) =>
  step(`retry ${k}`, ({ both }) => {
    for (const q of both) q.retry(k);
  }),
);
const forget = key.map((k) =>
  step(`forget ${k}`, ({ both }) => {
    for (const q of both) q.forget(k);
  }),
);
const done = fc.nat(3).map((which) =>
  step(`done with the one at ${which}`, ({ both, model }) => {
    const held = [...model.working.keys()][which];
    for (const q of both) if (held) q.done(held);
  }),
);
const take = fc.constant(step('take', (on) => on.take()));
const pass = ms.map((n) =>
  step(`${n} ms pass`, ({ model, clock }) => {
    model.pass(n);
    return clock.advance(n);
  }),
);
const anything = fc.oneof(
  { weight: 5, arbitrary: add },
  { weight: 2, arbitrary: addAfter },
  { weight: 1, arbitrary: retry },
  { weight: 1, arbitrary: forget },
  { weight: 3, arbitrary: done },
  { weight: 4, arbitrary: take },
  { weight: 2, arbitrary: pass },
);

test('whatever is asked of it, the queue hands out exactly what its plain model hands out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 80, size: 'max' }), async (steps) => {
      const on = bench();
      for (const { run } of steps) {
        await run(on);
        await on.clock.advance(0);
        on.compare();
      }
      on.stop();
      await on.kept;
    }),
    { numRuns: 400 },
  );
});
