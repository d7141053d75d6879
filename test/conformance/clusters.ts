import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster, listen } from '#embedded';
import { loadKubeconfig, networkTransport, type Transport } from '#kubernetes/client';
import { memoryStore } from '#platform/store';

/** How many events of a kind these clusters remember: few, so that a watch can be too old. */
export const history = 20;

export type Suite = { readonly ctx: Ctx; readonly targets: [string, () => Promise<Transport>][] };

/** The embedded cluster, reached in each way a client can reach it. All of it ends with the suite. */
export function embeddedClusters(): Suite {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cleanups: (() => unknown)[] = [];
  afterAll(async () => {
    stop.abort(new Error('the suite is over'));
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  async function cluster(): Promise<EmbeddedCluster> {
    const made = await createCluster({
      store: memoryStore(),
      clock: realClock,
      history: { events: history },
      podLogs,
    });
    cleanups.push(() => made.close());
    return made;
  }
  async function inProcess(): Promise<Transport> {
    const { handle } = await cluster();
    return handle;
  }
  async function overHttps(): Promise<Transport> {
    const dir = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
    cleanups.push(() => rm(dir, { recursive: true }));
    const listener = await listen(ctx, await cluster(), { port: 0, dir });
    cleanups.push(() => listener.close());
    const transport = networkTransport(await loadKubeconfig(ctx, { files: [listener.kubeconfigPath] }));
    cleanups.push(() => transport.close());
    return transport;
  }
  return { ctx, targets: [['in process', inProcess], ['over HTTPS', overHttps]] }; // biome-ignore format: a table
}

async function* podLogs(): AsyncGenerator<string> {
  yield 'first line\nsecond ';
  yield 'line\n';
}
