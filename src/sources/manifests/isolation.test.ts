import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { run } from '#platform/exec';
import { networkIsolation } from './isolation.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

test('a program started this way reaches nobody, not even on this machine', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [program = process.execPath, ...words] = await networkIsolation(ctx, tmpdir());
  const ask = `fetch('http://127.0.0.1:${port}').then(() => process.exit(0), () => process.exit(7))`;
  const isolated = program !== process.execPath;
  const args = [...words, ...(isolated ? [process.execPath] : []), '-e', ask];
  const limits = { ms: 10_000, stdoutBytes: 10_000, stderrBytes: 10_000 };
  const { code } = await run(ctx, { program, args, cwd: tmpdir(), env: {}, limits });
  // a machine that allows no isolation says so, and the program is then on the network like any other
  expect([code, asked]).toEqual(isolated ? [7, 0] : [0, 1]);
  await new Promise((resolve) => server.close(resolve));
});
