import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ctx, FairleadError, onAbort, type Task } from '#std';

export type ListenOptions = {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** How long a whole request may take to arrive. */
  readonly requestMs: number;
  /** How an operator chooses other ones. */
  readonly flags: { readonly host: string; readonly port: string };
  serve(ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void>;
};

const headersMs = 15_000;

/**
 * Listens now, so that the port is known; serves until the task's ctx stops, or before the task has begun the one given here.
 * Throws Unavailable when the port cannot be had.
 */
export async function listenHttp(
  ctx: Ctx,
  options: ListenOptions,
): Promise<{ readonly port: number; readonly run: Task }> {
  const http = createServer({ headersTimeout: headersMs, requestTimeout: options.requestMs });
  const open = new Set<Promise<void>>();
  http.on('request', (request, response) => {
    const done = options.serve(ctx, request, response).finally(() => open.delete(done));
    open.add(done);
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, options)));
    http.listen(options.port, options.host, () => resolve());
  });
  const close = (): void => {
    http.close();
    http.closeAllConnections();
  };
  onAbort(ctx.signal, close);
  const run: Task = async (inner) => {
    await new Promise<void>((resolve) => {
      onAbort(inner.signal, resolve);
    });
    close();
    await Promise.all(open);
  };
  return { port: (http.address() as AddressInfo).port, run };
}

function inWords(error: NodeJS.ErrnoException, { host, port, flags }: ListenOptions): Error {
  const why = {
    EADDRINUSE: `it is in use by another program; choose another ${flags.port}`,
    EADDRNOTAVAIL: `this machine has no such address; choose another ${flags.host}`,
    EACCES: `we may not; choose a ${flags.port} above 1023`,
    ENOTFOUND: `there is no such host; choose another ${flags.host}`,
  }[error.code ?? ''];
  if (!why) return error;
  return new FairleadError('Unavailable', `cannot listen at ${host}:${port}: ${why}`, error);
}
