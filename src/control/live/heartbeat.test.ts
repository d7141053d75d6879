import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type FairleadError, silent, virtualClock } from '#base/std';
import { createKubeClient, networkTransport } from '#kubernetes/client';
import { beat } from './heartbeat.ts';

/** A cluster on loopback that answers, or accepts requests and is silent: to its client a half-open connection is the same. */
async function startCluster() {
  const sockets = new Set<Socket>();
  const state = { status: 200, isSilent: false };
  const server = createServer((_request, response) => {
    if (state.isSilent) return;
    response.writeHead(state.status, { 'content-type': 'application/json' }).end('{"major":"1"}');
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = networkTransport({
    server: `http://127.0.0.1:${port}`,
    namespace: 'default',
    tls: {},
    user: {},
  });
  const close = async (): Promise<void> => {
    transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { state, server, kube: createKubeClient({ transport }), close };
}

test('a connection that is half open is an outage after eight seconds, and a response ends it', async () => {
  const { state, server, kube, close } = await startCluster();
  const [stop, clock] = [new AbortController(), virtualClock()];
  const ctx = { signal: stop.signal, log: silent, clock };
  let report: (error: FairleadError | undefined) => void = () => {};
  const next = () =>
    new Promise<FairleadError | undefined>((resolve) => {
      report = resolve;
    });
  const beating = beat(ctx, { kube, cache: { heard: (_ctx, error) => report(error) } });
  try {
    let heard = next();
    await clock.advance(15_000);
    expect(await heard).toBeUndefined();

    state.isSilent = true;
    heard = next();
    const asked = once(server, 'request');
    await clock.advance(15_000);
    await asked;
    await clock.advance(8_000);
    expect(await heard).toMatchObject({ code: 'Unavailable', message: 'no answer within 8 s' });

    // a refusal is a response too, and the next heartbeat comes sooner
    Object.assign(state, { isSilent: false, status: 403 });
    heard = next();
    await clock.advance(5_000);
    expect(await heard).toBeUndefined();
  } finally {
    stop.abort();
    await beating;
    await close();
  }
});
