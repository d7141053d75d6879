import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Ctx } from '#base/std';
import type { ProxyAddress } from '#platform/http';
import { type Around, dialThrough } from './dial.ts';

type Way = Around & {
  readonly proxy: ProxyAddress;
  readonly host: string;
  readonly port: number;
};

/**
 * Gives a program that does not support proxies a port of this machine that leads through one. The port accepts one
 * connection, and is closed when the work ends. When the proxy connection fails, the proxy's error is thrown, whatever
 * the program reports.
 */
export async function throughTunnel<Value>(
  ctx: Ctx,
  way: Way,
  work: (port: number) => Promise<Value>,
): Promise<Value> {
  const sockets = new Set<Socket>();
  let fault: unknown;
  const server = createServer({ pauseOnConnect: true }, (near) => {
    server.close();
    sockets.add(near);
    joined(ctx, way, near, sockets).catch((error: unknown) => {
      fault ??= error;
      near.destroy();
    });
  });
  server.maxConnections = 1;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const value = await work((server.address() as AddressInfo).port);
    if (fault) throw fault;
    return value;
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

async function joined(ctx: Ctx, way: Way, near: Socket, sockets: Set<Socket>): Promise<void> {
  const far = await dialThrough(ctx, way.proxy, way, way);
  sockets.add(far);
  // either side may close first; the program at the near end reports what that means
  await Promise.allSettled([pipeline(near, far), pipeline(far, near)]);
}
