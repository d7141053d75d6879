import { setImmediate as letIoIn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inProcess } from './in-process.ts';

const request = (name: string, bytes = 0) => ({
  method: 'POST',
  path: name,
  headers: {},
  body: new Uint8Array(bytes),
  signal: new AbortController().signal,
});

test('attack 32: large requests have a turn of the event loop each, and small ones wait for none of them', async () => {
  let turn = 0;
  const served: [string, number][] = [];
  const transport = inProcess({
    stream: async () => {},
    handle: async ({ path, body }) => {
      served.push([path, turn]);
      return { status: 200, headers: {}, body: 'x'.repeat(body?.length ?? 0) };
    },
  });
  const large = Array.from({ length: 20 }, (_, index) => transport(request(`large-${index}`, 200_000)));
  const small = transport(request('small'));
  const counting = (async () => {
    for (; served.length < 21; turn++) await letIoIn();
  })();
  await Promise.all([...large, small, counting]);
  expect(served[0]).toEqual(['small', 0]);
  expect(new Set(served.slice(1).map(([, at]) => at)).size).toBe(20);
});
