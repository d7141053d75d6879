import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Ctx, FairleadError, onAbort, type Task } from '#base/std';
import type { AnswerHttp2 } from './http2-sessions.ts';
import type { AnswerRequest, Port, RequestLimits } from './port.ts';
import { createTlsPort, type PortAnswers, type TlsListening } from './tls-port.ts';
import { acceptUpgrades, type UpgradedConnection } from './upgrades.ts';

export type ListenOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How long a whole request may take to arrive. */
  readonly requestMs: number;
  /** The flags by which an operator chooses other ones. */
  readonly flags: { readonly host: string; readonly port: string };
  /** Left out: the port speaks plain HTTP and nothing else. */
  readonly tls?: TlsListening;
  serve(ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Serves requests of HTTP/2, where the port speaks TLS or could; left out: they are refused. */
  serveHttp2?(ctx: Ctx, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void>;
  /** Serves connections that become WebSockets; left out: none does. */
  readonly upgrades?: {
    isOpen(): boolean;
    serve(ctx: Ctx, connection: UpgradedConnection): Promise<void>;
  };
};

const headersMs = 15_000;
const quietMs = 60_000;

/** Whether only this machine can connect to a server that listens at this address. */
export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/**
 * Listens now, so that the port is known; serves until the task's ctx stops, or, before the task has begun, the one given
 * here. Throws Unavailable when the port cannot be opened.
 */
export async function listenHttp(
  ctx: Ctx,
  options: ListenOptions,
): Promise<{ readonly port: number; readonly run: Task }> {
  const limits = { headersTimeout: headersMs, requestTimeout: options.requestMs, maxHeaderSize };
  const open = new Set<Promise<void>>();
  // what fails unforeseen ends its own connection: an unhandled rejection would end the process
  const begin = (serving: Promise<void>, cutOff: () => void): void => {
    const done = serving
      .catch((error: unknown) => {
        if (!ctx.signal.aborted) ctx.log.error('request failed', { error });
        cutOff();
      })
      .finally(() => open.delete(done));
    open.add(done);
  };
  const answer: AnswerRequest = (request, response) =>
    begin(options.serve(ctx, request, response), () => response.destroy());
  const answerHttp2: AnswerHttp2 = (request, response) => {
    if (options.serveHttp2)
      begin(options.serveHttp2(ctx, request, response), () => response.stream.destroy());
    else response.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
  };
  const upgrades = {
    isOpen: () => options.upgrades?.isOpen() ?? false,
    answer: (connection: UpgradedConnection) => {
      if (options.upgrades) begin(options.upgrades.serve(ctx, connection), () => connection.socket.destroy());
    },
  };
  const answers = { http: answer, http2: answerHttp2, upgrades };
  const http = options.tls ? createTlsPort(options.tls, limits, answers) : plainPort(limits, answers);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(inWords(error, options));
    http.once('error', fail);
    http.listen(options.port, options.host, () => {
      http.off('error', fail);
      resolve();
    });
  });
  reportErrors(ctx, http);
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

/** The cookies of a session with many groups have some ten thousand bytes; HTTP/2 has the same limit. */
const maxHeaderSize = 64 * 1024;

function plainPort(limits: RequestLimits, { http, upgrades }: Pick<PortAnswers, 'http' | 'upgrades'>): Port {
  const server = createServer(limits, http);
  acceptUpgrades(server, upgrades, http);
  return server;
}

/**
 * A server that cannot accept connections (it is out of file descriptors) continues with those it has. Logs that when it
 * begins, and while it lasts at most once a minute, with the number of failures.
 */
export function reportErrors(ctx: Ctx, http: Pick<Port, 'on'>): void {
  let reported = Number.NEGATIVE_INFINITY;
  let failures = 0;
  http.on('error', (error) => {
    failures += 1;
    const now = ctx.clock.now().getTime();
    if (now - reported < quietMs) return;
    ctx.log.error('connections cannot be accepted', { failures, error });
    [reported, failures] = [now, 0];
  });
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
