import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster, listen } from '#embedded';
import { memoryStore, openStore, type Store } from '#platform/store';
import { pod } from './objects.ts';

/** What is measured: the cluster kept in memory, the cluster kept in LMDB, or a server that only keeps what it gets. */
export type Kept = 'memory' | 'lmdb' | 'plain';

type Request = Parameters<EmbeddedCluster['handle']>[0];
type Answer = Awaited<ReturnType<EmbeddedCluster['handle']>>;

/** The baseline: reads the body, numbers the object, keeps it and says it back. */
function plain(): (request: Request) => Promise<Answer> {
  const kept = new Map<string, unknown>();
  const text = new TextDecoder();
  let rv = 1;
  return async ({ body, path }) => {
    const object = JSON.parse(text.decode(body));
    rv += 1;
    object.metadata.resourceVersion = String(rv);
    kept.set(`${path}/${object.metadata.name}`, object);
    const headers = { 'content-type': 'application/json' };
    return { status: 201, headers, body: JSON.stringify(object) };
  };
}

async function fill(cluster: EmbeddedCluster, pods: number): Promise<void> {
  const { signal } = new AbortController();
  const path = '/api/v1/namespaces/default/pods';
  const headers = { 'content-type': 'application/json' };
  for (let i = 0; i < pods; i++) {
    const body = Buffer.from(JSON.stringify(pod(i)));
    const { status } = await cluster.handle({ method: 'POST', path, headers, signal, body });
    if (status !== 201) throw new Error(`pod ${i} was refused: ${status}`);
  }
}

const kept = process.argv[2] as Kept;
const dir = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
const store: Store = kept === 'lmdb' ? await openStore(join(dir, 'store')) : memoryStore();
const cluster = await createCluster({ store, clock: realClock });
const served = kept === 'plain' ? { ...cluster, handle: plain() } : cluster;
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const { url, kubeconfigPath, close } = await listen(ctx, served, { port: 0, dir });

process.on('message', async (message: { fill: number }) => {
  await fill(cluster, message.fill);
  process.send?.('filled');
});
process.on('disconnect', async () => {
  await close();
  await cluster.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ url, kubeconfigPath });
