import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { onAbort } from '#base/std';
import { bounded } from '../bounded.ts';
import type { KubeResponse } from '../transport.ts';
import { answerFrom, type WireRequest } from './exchange.ts';
import { unreachable } from './explain.ts';

/** A connection silent for `idleMs` is pinged, and closed when no reply comes within `pingMs`. */
export type PingTimes = { readonly idleMs: number; readonly pingMs: number };
const usual: PingTimes = { idleMs: 30_000, pingMs: 15_000 };
const handshakeMs = 15_000;
/** Room for a long list to arrive at the speed of the line instead of one small window per round trip. */
const streamWindow = 1 << 20;
const sessionWindow = 16 << 20;

/** One HTTP/2 connection. It keeps the process alive only while a caller waits for a response. */
export class Http2Link {
  readonly #session: ClientHttp2Session;
  readonly #host: string;
  readonly #pings: PingTimes;
  #active = 0;
  #answered = false;
  #closing = false;
  #pinging = false;

  private constructor(session: ClientHttp2Session, host: string, pings: PingTimes) {
    this.#session = session;
    this.#host = host;
    this.#pings = pings;
    session.on('error', () => this.retire()); // each running exchange gets its own error
    session.on('goaway', () => this.retire());
    session.on('close', () => this.retire());
    session.on('timeout', () => this.#checkLife());
    session.setTimeout(pings.idleMs);
    session.unref();
  }

  static async open(url: URL, socket: Socket, signal: AbortSignal, pings = usual): Promise<Http2Link> {
    const session = connect(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory: 1_000,
    });
    const opened = bounded(signal, { ms: handshakeMs, what: `greeting ${url.host}` }, (within) =>
      greeted(session, within),
    );
    try {
      await opened;
      session.setLocalWindowSize(sessionWindow);
      return new Http2Link(session, url.host, pings);
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  /**
   * Reserves a stream for one exchange. False when the server allows no more at once: watches stay open, and
   * a request behind them would wait for ever.
   */
  take(): boolean {
    const most = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    if (this.#closing || this.#active >= Math.max(1, most)) return false;
    if (this.#active++ === 0) this.#session.ref();
    return true;
  }

  get isDead(): boolean {
    return this.#closing && this.#active === 0;
  }

  /** Takes no more requests; those under way may finish. Safe to repeat. */
  retire(): void {
    this.#closing = true;
    if (!this.#session.closed) this.#session.close();
  }

  /** Ends all that is under way, for this reason. */
  destroy(code: 'ETIMEDOUT' | 'ECONNRESET' = 'ECONNRESET'): void {
    this.#closing = true;
    // without an error, a stream cut short would look complete
    this.#session.destroy(Object.assign(new Error('the connection was given up'), { code }));
  }

  /**
   * For the stream that `take` reserved. Undefined when the server has not begun with it: it may be sent
   * again.
   */
  exchange(request: WireRequest): Promise<KubeResponse | undefined> {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(
        {
          ...(request.headers as Record<string, string | string[]>),
          ':method': request.method,
          ':path': request.path,
        },
        { endStream: request.body === undefined },
      );
    } catch {
      this.#give();
      this.retire(); // the session ended between being chosen and being used
      return Promise.resolve(undefined);
    }
    this.#hold(stream, request.signal);
    if (request.body !== undefined) stream.end(request.body);
    return this.#answer(stream, request);
  }

  #answer(stream: ClientHttp2Stream, request: WireRequest): Promise<KubeResponse | undefined> {
    return new Promise((resolve, reject) => {
      const failed = (error?: unknown): void => {
        if (request.signal.aborted) {
          this.#checkLife(); // the caller may have given up because the server is unreachable
          reject(request.signal.reason);
        } else if (this.#isRepeatable(stream, request)) resolve(undefined);
        else reject(unreachable(this.#host, error ?? { code: 'ERR_STREAM_PREMATURE_CLOSE' }));
      };
      const closed = (): void => failed();
      stream.once('error', failed);
      stream.once('close', closed);
      stream.once('response', (headers) => {
        this.#answered = true;
        stream.off('close', closed); // from here on its reader gets the error
        const status = Number(headers[':status'] ?? 0);
        const abandon = (): void => cancel(stream);
        // a stream that was reset, or lost its connection, ends like any other; only the code distinguishes
        // it
        const isComplete = (): boolean => stream.rstCode === constants.NGHTTP2_NO_ERROR;
        resolve(answerFrom({ status, headers, stream, abandon, isComplete }, request, this.#host));
      });
    });
  }

  /** The server refused it before processing; or a read on an old connection that was closing. */
  #isRepeatable(stream: ClientHttp2Stream, { method }: WireRequest): boolean {
    return (
      stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
      (method === 'GET' && this.#answered && this.#closing)
    );
  }

  #hold(stream: ClientHttp2Stream, signal: AbortSignal): void {
    const forget = onAbort(signal, () => cancel(stream));
    stream.on('error', () => {}); // after the response has begun, its reader gets the error
    stream.once('close', () => {
      forget();
      this.#give();
    });
  }

  #give(): void {
    if (--this.#active === 0 && !this.#session.destroyed) this.#session.unref();
  }

  // A peer that vanished silently leaves a connection that looks alive for a quarter of an hour.
  #checkLife(): void {
    if (this.#pinging || this.#session.destroyed) return;
    this.#pinging = true;
    // a timer of our own: the session's restarts with everything we send, received or not
    const forget = onAbort(AbortSignal.timeout(this.#pings.pingMs), () => this.destroy('ETIMEDOUT'));
    this.#session.ping(() => {
      this.#pinging = false;
      forget();
      if (!this.#session.destroyed) this.#session.setTimeout(this.#pings.idleMs);
    });
  }
}

function cancel(stream: ClientHttp2Stream): void {
  if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  stream.destroy();
}

/** Waits for the SETTINGS frame: it comes first, and has the limit of concurrent streams. */
function greeted(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    onAbort(signal, () => reject(signal.reason));
    session.once('error', reject);
    session.once('close', () => reject({ code: 'ECONNRESET' }));
    session.once('remoteSettings', () => resolve());
  });
}
