import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { compileJq } from '#lang/jq';

// Attack 10, as far as jq goes: expressions run in this process, so each counts its steps and bytes, and gives up early.

const attacks = [
  'def f: f; f',
  '[repeat(1)]',
  'until(false; .)',
  'last(range(1e12))',
  'reduce range(60) as $i ("a"; . + .)',
  'reduce range(60) as $i ([]; [., .]) | tojson',
  '"x" * 1000000 | [match(""; "g")]',
  '.[100000000] = 1',
];

test('every expression gives up, none holds the event loop for long, and memory stays what it was', async () => {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const before = process.memoryUsage().heapUsed;
  for (const expression of attacks) {
    const ending = (): unknown => [...compileJq(expression).run(null)];
    expect(ending, expression).toThrow(FairleadError);
    expect(ending, expression).toThrow(expect.objectContaining({ code: 'LimitExceeded' }));
    await new Promise(setImmediate);
  }
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(2_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(500_000_000);
});
