import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServedRequest } from '../request.ts';
import { badRequest } from '../status.ts';

/** A connection that requests an upgrade from HTTP. */
export type Upgrade = {
  readonly request: ServedRequest;
  readonly socket: Duplex;
  /** The bytes that arrived behind the request. */
  readonly head: Uint8Array;
};

const maxPayload = 16 * 1024 * 1024;
/** Messages that wait for their reader before the connection is paused. */
const highWaterMark = 16;

/** Accepts an upgrade with this subprotocol. Throws StatusError when the handshake violates the protocol. */
export function acceptSocket({ request, socket, head }: Upgrade, protocol: string): Promise<WebSocketEnd> {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      handleProtocols: () => protocol,
    });
    server.on('wsClientError', (error) => reject(badRequest(error.message)));
    // the handshake reads only the method and the headers of the request
    const message = request as unknown as IncomingMessage;
    server.handleUpgrade(message, socket, Buffer.from(head), (accepted) =>
      resolve(new WebSocketEnd(accepted)),
    );
  });
}

/** The server side of a WebSocket: receives and sends whole messages. */
export class WebSocketEnd {
  readonly #socket: WebSocket;
  readonly #received: AsyncIterable<Buffer[]>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => socket.terminate());
    const limits = { close: ['close'], highWaterMark, lowWaterMark: 1 };
    this.#received = on(socket, 'message', limits) as AsyncIterableIterator<Buffer[]>;
  }

  send(data: Uint8Array): void {
    this.#socket.send(data, () => {}); // a client that left gets nothing
  }

  close(code = 1000): void {
    this.#socket.close(code);
    this.#socket.resume(); // unread messages would keep the client's answer from arriving
  }

  /** The client's messages until it closes or violates the protocol. */
  async *messages(): AsyncGenerator<Buffer> {
    try {
      for await (const [data] of this.#received) if (data) yield data;
    } catch {
      return; // the constructor ends a connection with an error
    }
  }
}
