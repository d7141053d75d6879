import { expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { compareTimes, readLogTime, requireLogTime } from './log-time.ts';
import { type LogLine, mergeLogs } from './merge-logs.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

const line = (pod: string, stamp: string): LogLine => {
  const time = readLogTime(stamp);
  if (!time) throw new Error(stamp);
  return { pod, text: `${pod} ${stamp}`, stamp, time };
};
async function* logOf(pod: string, ...seconds: readonly string[]): AsyncGenerator<LogLine> {
  for (const second of seconds) yield line(pod, `2026-01-01T00:00:${second}Z`);
}
const podsIn = async (lines: AsyncIterable<LogLine>): Promise<string> => {
  let pods = '';
  for await (const { pod } of lines) pods += pod;
  return pods;
};

test.each([
  [[], ''],
  [[['a', '01', '02']], 'aa'],
  [
    [
      ['a', '01', '05'],
      ['b', '02', '03'],
      ['c', '04'],
    ],
    'abbca',
  ],
  [
    [
      ['a', '01.000000002'],
      ['b', '01.000000001'],
    ],
    'ba',
  ],
  [
    [
      ['a', '01.5'],
      ['b', '01.25', '01.75'],
    ],
    'bab',
  ],
] as const)('the lines of %j are sorted by time: %s', async (logs, expected) => {
  const all = logs.map(([pod, ...seconds]) => logOf(pod, ...seconds));
  expect(await podsIn(mergeLogs(ctx, all, { isFollowed: false }))).toBe(expected);
});

test('a log of ten thousand lines is read as it is sent, not before', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<LogLine> {
    for (; ; read++) yield line('a', '2026-01-01T00:00:00Z');
  }
  const merged = mergeLogs(ctx, [endless()], { isFollowed: false });
  for (let taken = 0; taken < 5; taken++) await merged.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBeLessThan(200);
  await merged.return(undefined);
});

test('a followed pod that is silent delays the others by a moment only', async () => {
  const clock = virtualClock({ start: new Date('2026-01-01T00:00:00Z') });
  const stop = new AbortController();
  const inner: Ctx = { signal: stop.signal, log: silent, clock };
  async function* quiet(): AsyncGenerator<LogLine> {
    await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  }
  const merged = mergeLogs(inner, [logOf('a', '02', '01'), quiet()], { isFollowed: true });
  const first = merged.next();
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(150);
  expect((await first).value?.pod).toBe('a');
  stop.abort();
  await merged.return(undefined);
});

test('times are compared to the nanosecond, in any zone', () => {
  const [a, b] = [
    requireLogTime('x', '2026-01-01T01:00:00.1+01:00'),
    requireLogTime('x', '2026-01-01T00:00:00.100000001Z'),
  ];
  expect(compareTimes(a, b)).toBeLessThan(0);
  expect(readLogTime('2026-01-01 00:00:00')).toBeUndefined();
  expect(() => requireLogTime('untilTime', 'soon')).toThrow(
    'invalid untilTime parameter value: soon is no RFC 3339 time',
  );
});
