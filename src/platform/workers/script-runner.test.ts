import { afterAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { ScriptRunner } from './script-runner.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const runner = new ScriptRunner(2, new URL('./testdata/stubborn.mjs', import.meta.url));
afterAll(() => runner.close());

const job = (name: number, more: Record<string, unknown> = {}) => ({
  script: `s${name % 3}`,
  globals: { name, ...more },
  openLibs: false,
});

test('many jobs cross in batches and come back in order', { timeout: 60_000 }, async () => {
  const jobs = Array.from({ length: 300 }, (_, i) => job(i));
  const outcomes = await runner.runAll(ctx, jobs);
  expect(outcomes).toEqual(jobs.map((_, i) => ({ value: `s${i % 3} ${i}` })));
});

test('H-24: a script that cannot be stopped is killed with its worker; those beside it run again', {
  timeout: 60_000,
}, async () => {
  const jobs = Array.from({ length: 10 }, (_, i) => job(i, { hang: i === 3, die: i === 6 }));
  const outcomes = await runner.runAll(ctx, jobs);
  expect(outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.message))).toEqual(
    jobs.map((_, i) => {
      if (i === 3) return 'the script took longer than 1000 ms';
      return i === 6 ? 'the worker died while running script (exit code 1)' : `s${i % 3} ${i}`;
    }),
  );
});

test('without workers there are no outcomes to make up', { timeout: 60_000 }, async () => {
  const broken = new ScriptRunner(1, new URL('./testdata/absent.mjs', import.meta.url));
  await expect(broken.runAll(ctx, [job(1), job(2)])).rejects.toMatchObject({
    code: 'Internal',
    message: 'the worker module cannot be loaded',
  });
  await broken.close();
  await expect(broken.runAll(ctx, [job(1)])).rejects.toMatchObject({ code: 'Unavailable' });
});
