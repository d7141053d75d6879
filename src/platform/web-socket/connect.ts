import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { FairleadError, onAbort } from '#base/std';
import { maxPayload, WebSocketEnd } from './web-socket-end.ts';

/** The server's response to an upgrade that it does not grant. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`the server refused the upgrade with ${status}`);
    this.status = status;
    this.text = text;
  }
}

export type ConnectOptions = {
  /** Host and path; its scheme is not used: the connection is made and secured already. */
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The subprotocols, the best first. */
  readonly protocols: readonly string[];
  readonly connection: Duplex;
  readonly signal: AbortSignal;
};

const maxRefusalBytes = 64 * 1024;
const handshakeTimeout = 30_000;

/** Throws UpgradeRefused when the server answers with anything but a WebSocket, Unavailable when it does not answer. */
export function connectSocket(options: ConnectOptions): Promise<WebSocketEnd> {
  const { host, path, headers, protocols, connection, signal } = options;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${host}${path}`, [...protocols], {
      headers: headers as Record<string, string | string[]>,
      createConnection: () => connection as never,
      maxPayload,
      handshakeTimeout,
      perMessageDeflate: false,
    });
    const forget = onAbort(signal, () => {
      socket.terminate();
      reject(signal.reason);
    });
    socket.once('close', forget);
    socket.once('open', () => resolve(new WebSocketEnd(socket)));
    socket.once('unexpected-response', (_request, response) => {
      textOf(response).then((text) => reject(new UpgradeRefused(response.statusCode ?? 0, text)), reject);
    });
    socket.on('error', (error) => {
      reject(new FairleadError('Unavailable', `no stream from ${host}: ${error.message}`, error));
    });
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (text.length > maxRefusalBytes) break;
  }
  return text.slice(0, maxRefusalBytes);
}
