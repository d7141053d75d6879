import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { createServer as createNet, type Socket } from 'node:net';
import type { SecureVersion } from 'node:tls';
import type { AnswerRequest, Port, RequestLimits } from './port.ts';

/** A certificate with its key, in PEM, and what of TLS is spoken. One object stands for one state. */
export type TlsState = {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  /** Names of OpenSSL with colons between; left out: those of Node. */
  readonly ciphers?: string | undefined;
};

export type TlsListening = {
  /** Called for each connection. Undefined: plain HTTP is spoken now. */
  current(): TlsState | undefined;
  /** Answers a request in plain HTTP while TLS is spoken. */
  servePlain(request: IncomingMessage, response: ServerResponse): void;
};

/** The first byte of a TLS handshake; no method of HTTP begins with it. */
const handshake = 0x16;
/** How long a client may take to send its first byte, and to complete the handshake. */
const firstByteMs = 15_000;

/** A port that speaks TLS or plain HTTP: the first byte of a connection shows which the client speaks. */
export function createTlsPort(tls: TlsListening, limits: RequestLimits, answer: AnswerRequest): Port {
  const secure = createHttps({ ...limits, handshakeTimeout: firstByteMs }, answer);
  const plain = createHttp(limits, (request, response) => {
    if (tls.current()) tls.servePlain(request, response);
    else answer(request, response);
  });
  // these two listen on no port of their own; without the event Node does not enforce their limits
  for (const inner of [secure, plain]) inner.emit('listening');
  const sockets = new Set<Socket>();
  let used: TlsState | undefined;
  const secured = (state: TlsState): HttpsServer => {
    if (used !== state) secure.setSecureContext(state);
    used = state;
    return secure;
  };
  const net = createNet({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    onFirstByte(socket, (byte) => {
      const state = byte === handshake ? tls.current() : undefined;
      (state ? secured(state) : plain).emit('connection', socket);
    });
  });
  const end = (): void => {
    for (const inner of [secure, plain]) inner.close();
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(net, { closeAllConnections: end });
}

/** Calls back with the first byte of a connection, which stays to be read. */
function onFirstByte(socket: Socket, use: (byte: number) => void): void {
  const giveUp = (): void => void socket.destroy();
  socket.setTimeout(firstByteMs, giveUp);
  socket.on('error', giveUp);
  socket.once('data', (chunk: Buffer) => {
    socket.pause();
    socket.setTimeout(0);
    socket.off('timeout', giveUp);
    socket.off('error', giveUp);
    socket.unshift(chunk);
    use(chunk[0] ?? 0);
    process.nextTick(() => socket.resume());
  });
}
