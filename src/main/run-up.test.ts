import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { readConfig } from './config.ts';
import { runUp } from './run-up.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

test('a start that fails at its second port gives the first one back, so that the process can end', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-up-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const taken = await listening(0);
  ends.push(() => closed(taken));
  const free = await listening(0);
  const port = portOf(free);
  await closed(free);

  const flags = { dataDir, port: String(port), metricsPort: String(portOf(taken)), demo: false };
  const config = readConfig(flags, { PATH: process.env.PATH ?? '', HOME: dataDir });
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  await expect(runUp(ctx, config, () => {})).rejects.toThrow('choose another --metrics-port');

  const again = await listening(port);
  await closed(again);
});
