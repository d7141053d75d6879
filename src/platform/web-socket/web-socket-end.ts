import { on } from 'node:events';
import type { WebSocket } from 'ws';

export const maxPayload = 16 * 1024 * 1024;
/** Messages that wait for their reader before the connection is paused. */
const highWaterMark = 16;

/** One end of a WebSocket: receives and sends whole messages. */
export class WebSocketEnd {
  readonly #socket: WebSocket;
  readonly #received: AsyncIterable<[Buffer, boolean]>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => socket.terminate());
    const limits = { close: ['close'], highWaterMark, lowWaterMark: 1 };
    this.#received = on(socket, 'message', limits) as AsyncIterableIterator<[Buffer, boolean]>;
  }

  /** The subprotocol that both ends agreed on; empty: none. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  /** A string is sent as text. */
  send(data: Uint8Array | string): void {
    this.#socket.send(data, () => {}); // an end that left gets nothing
  }

  /** Waits until the data is handed to the system, so that a slow reader slows down the sender. */
  sent(data: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(data, () => resolve());
    });
  }

  /** Keeps what is in between from closing a connection that is quiet. */
  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping(() => {});
  }

  close(code = 1000, reason = ''): void {
    this.#socket.close(code, reason);
    this.#socket.resume(); // unread messages would keep the other end's answer from arriving
  }

  /** Ends the connection without a word. */
  cutOff(): void {
    this.#socket.terminate();
  }

  /** The other end's messages until it closes or violates the protocol. */
  async *messages(): AsyncGenerator<Buffer> {
    try {
      for await (const [data] of this.#received) if (data) yield data;
    } catch {
      return; // the constructor ends a connection with an error
    }
  }
}
