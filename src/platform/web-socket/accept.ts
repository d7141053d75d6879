import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { FairleadError } from '#base/std';
import { maxPayload, WebSocketEnd } from './web-socket-end.ts';

/** A connection that requests an upgrade from HTTP. */
type UpgradeRequest = {
  readonly request: { readonly method?: string | undefined; readonly headers: IncomingMessage['headers'] };
  readonly socket: Duplex;
  /** The bytes that arrived behind the request. */
  readonly head: Uint8Array;
};

/** Accepts an upgrade, with a subprotocol or none. Throws InvalidSpec when the handshake violates the protocol. */
export function acceptSocket(
  { request, socket, head }: UpgradeRequest,
  protocol?: string,
): Promise<WebSocketEnd> {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      handleProtocols: () => protocol ?? false,
    });
    server.on('wsClientError', (error) => reject(new FairleadError('InvalidSpec', error.message)));
    // the handshake reads only the method and the headers of the request
    const message = request as unknown as IncomingMessage;
    server.handleUpgrade(message, socket, Buffer.from(head), (accepted) =>
      resolve(new WebSocketEnd(accepted)),
    );
  });
}

/** Responds to an upgrade that is not granted, with JSON, and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number, json: string): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(json)}\r\nConnection: close\r\n\r\n${json}`);
}
