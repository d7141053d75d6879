import { type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AnswerRequest } from './port.ts';

/** A connection that wants to become a WebSocket. */
export type UpgradedConnection = {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that arrived behind the request. */
  readonly head: Buffer;
};

export type UpgradeAnswers = {
  /** Whether connections may become WebSockets now. */
  isOpen(): boolean;
  answer(connection: UpgradedConnection): void;
};

/**
 * Hands over connections that want to become WebSockets. While there are none to be had, and for any other protocol that
 * a client offers to change to, as some do on every connection, the request is answered as if it offered nothing.
 */
export function acceptUpgrades(server: HttpServer, upgrades: UpgradeAnswers, answer: AnswerRequest): void {
  const counted = server.listenerCount.bind(server);
  // Node parses a request as an upgrade, without its body, exactly when there is a listener
  server.listenerCount = (name, ...more) =>
    name === 'upgrade' && !upgrades.isOpen() ? 0 : counted(name, ...more);
  const isBusy = trackBusy(server);
  server.on('upgrade', (request, socket, head) => {
    // Node stops listening: a client that breaks the connection before it is a WebSocket would end the process
    socket.on('error', () => socket.destroy());
    if (isBusy(socket)) {
      socket.destroy();
      return;
    }
    if (request.headers.upgrade?.toLowerCase() === 'websocket') upgrades.answer({ request, socket, head });
    else answerPlainly(request, socket, answer);
  });
}

/**
 * Whether a connection has a request that is not responded to yet. Behind it no browser sends an upgrade, and Node throws when a
 * connection has two responses.
 */
function trackBusy(server: HttpServer): (socket: Duplex) => boolean {
  const busy = new WeakMap<Duplex, number>();
  server.on('request', ({ socket }, response) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.on('close', () => void busy.set(socket, (busy.get(socket) ?? 1) - 1));
  });
  return (socket) => (busy.get(socket) ?? 0) > 0;
}

function answerPlainly(request: IncomingMessage, socket: Duplex, answer: AnswerRequest): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on('finish', () => socket.end());
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) answer(request, response);
  else response.writeHead(400).end('send this request without the header Upgrade\n');
}
