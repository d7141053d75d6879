import { hashSync } from '@node-rs/bcrypt';
import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { PasswordPool } from './password-pool.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
/** An idle worker does not keep this process alive and is not counted. */
const busyProcesses = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;

test('of twelve checks at once, two are computed at a time, each in a process of its own', async () => {
  const pool = new PasswordPool();
  const hash = hashSync('right-password', { cost: 4 });
  const before = busyProcesses();
  const counts: number[] = [];
  const given = Array.from({ length: 12 }, (_, i) => (i === 7 ? 'right-password' : 'wrong-password'));
  const answers = await Promise.all(
    given.map(async (one) => {
      const isRight = await pool.check(ctx, one, hash);
      counts.push(busyProcesses() - before);
      return isRight;
    }),
  );
  expect(answers.flatMap((isRight, i) => (isRight ? [i] : []))).toEqual([7]);
  expect(Math.max(...counts)).toBeGreaterThan(0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  await pool.close();
});
