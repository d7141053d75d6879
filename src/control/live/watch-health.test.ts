import { expect, test } from 'vitest';
import { type Logger, realClock, silent } from '#base/std';
import { WatchHealth } from './watch-health.ts';

const kinds = Array.from({ length: 10 }, (_, at) => ({ kind: `Kind${at}` }));

function seeing() {
  const lines: string[] = [];
  const note = (message: string, { kind = '' }: { kind?: string } = {}) =>
    void lines.push(`${message} ${kind}`.trim());
  const log = { ...silent, info: note, warn: note } as unknown as Logger;
  const sight = new WatchHealth(() => kinds.length);
  const fail = (...some: typeof kinds) => {
    for (const one of some) sight.failed({ log, clock: realClock }, one, one);
  };
  return { sight, lines, log, fail };
}

test('a cluster that goes is one line with what failed, however many kinds of it were watched, and one when it is back', () => {
  const { sight, lines, log, fail } = seeing();
  for (const one of kinds) sight.seen(log, one);
  fail(...kinds);
  fail(...kinds);
  expect(lines).toEqual(['cluster is unreachable: its last known state is shown Kind4']);
  for (const one of kinds) sight.seen(log, one);
  expect(lines.slice(1)).toEqual(['cluster is reachable again']);
});

test('of a cluster that was never seen nothing is shown, and that is not said', () => {
  const { lines, fail } = seeing();
  fail(...kinds);
  expect(lines).toEqual(['cluster is unreachable: most of its kinds cannot be read Kind4']);
});

test('a kind that fails again while the others do not is told of, once until it is seen', () => {
  const { sight, lines, log, fail } = seeing();
  const [one] = kinds as [{ kind: string }];
  for (let times = 0; times < 5; times++) fail(one);
  expect(lines).toEqual(['watch failed Kind0']);
  sight.seen(log, one);
  fail(one, one);
  expect(lines).toHaveLength(2);
});

test('kinds that go one after the other are not told of one by one', () => {
  const { lines, fail } = seeing();
  for (const one of kinds) fail(one, one);
  expect(lines).toEqual([
    'watch failed Kind0',
    'watch failed Kind1',
    'watch failed Kind2',
    'cluster is unreachable: most of its kinds cannot be read Kind4',
  ]);
});
