import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { createServer as createNet, type Socket } from 'node:net';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { type AnswerHttp2, beginsHttp2, createHttp2 } from './http2-sessions.ts';
import type { AnswerRequest, Port, RequestLimits } from './port.ts';
import { acceptUpgrades, type UpgradeAnswers } from './upgrades.ts';

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

export type PortAnswers = {
  readonly http: AnswerRequest;
  readonly http2: AnswerHttp2;
  readonly upgrades: UpgradeAnswers;
};

/** The first byte of a TLS handshake; no method of HTTP begins with it. */
const handshake = 0x16;
/** How long a client may take to send its first bytes, and to complete the handshake. */
const firstBytesMs = 15_000;

/** A port that speaks TLS or not, and HTTP/1 or HTTP/2: the first bytes of a connection show which the client speaks. */
export function createTlsPort(tls: TlsListening, limits: RequestLimits, answers: PortAnswers): Port {
  const http2 = createHttp2(answers.http2);
  const secure = createSecure(limits, answers.http, http2);
  const answerPlain: AnswerRequest = (request, response) => {
    if (tls.current()) tls.servePlain(request, response);
    else answers.http(request, response);
  };
  const plain = createHttp(limits, answerPlain);
  acceptUpgrades(secure, answers.upgrades, answers.http);
  const isPlain = () => tls.current() === undefined && answers.upgrades.isOpen();
  acceptUpgrades(plain, { ...answers.upgrades, isOpen: isPlain }, answerPlain);
  // these listen on no port of their own; without the event Node does not enforce their limits
  for (const inner of [secure, plain]) inner.emit('listening');
  const sockets = new Set<Socket>();
  let used: TlsState | undefined;
  const secured = (state: TlsState): HttpsServer => {
    if (used !== state) secure.setSecureContext(state);
    used = state;
    return secure;
  };
  const plainSpeaker = (first: Buffer, state: TlsState | undefined) => {
    if (!beginsHttp2(first)) return plain;
    return state ? undefined : http2;
  };
  const net = createNet({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    onFirstBytes(socket, (first) => {
      const state = tls.current();
      const speaker = first[0] === handshake ? state && secured(state) : plainSpeaker(first, state);
      // a client that tries what is not spoken tries the other at once
      if (speaker) speaker.emit('connection', socket);
      else socket.destroy();
    });
  });
  const end = (): void => {
    for (const inner of [secure, plain]) inner.close();
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(net, { closeAllConnections: end });
}

/** compat server §2.1: HTTP/1 is preferred, so that HTTP/2 is for clients that speak nothing else. */
function createSecure(limits: RequestLimits, answer: AnswerRequest, http2: Http2Server): HttpsServer {
  const ALPNProtocols = ['http/1.1', 'h2'];
  const secure = createHttps({ ...limits, handshakeTimeout: firstBytesMs, ALPNProtocols }, answer);
  const speakHttp1 = secure.listeners('secureConnection');
  secure.removeAllListeners('secureConnection');
  secure.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
    else for (const speak of speakHttp1) speak.call(secure, socket);
  });
  return secure;
}

/** Calls back with the first bytes of a connection, as many as show what it speaks; they stay to be read. */
function onFirstBytes(socket: Socket, use: (first: Buffer) => void): void {
  let first: Buffer = Buffer.alloc(0);
  const giveUp = (): void => void socket.destroy();
  socket.setTimeout(firstBytesMs, giveUp);
  socket.on('error', giveUp);
  const read = (chunk: Buffer): void => {
    first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    if (beginsHttp2(first) === undefined) return;
    socket.pause();
    socket.setTimeout(0);
    socket.off('data', read);
    socket.off('timeout', giveUp);
    socket.off('error', giveUp);
    socket.unshift(first);
    use(first);
    process.nextTick(() => socket.resume());
  };
  socket.on('data', read);
}
