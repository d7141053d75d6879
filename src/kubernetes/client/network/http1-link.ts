import { Agent, type ClientRequest, request as send } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort } from '#base/std';
import type { KubeResponse } from '../transport.ts';
import { answerFrom, type WireRequest } from './exchange.ts';
import { unreachable } from './explain.ts';

type Dial = () => Promise<Socket>;

/** Connections to a server that supports only HTTP/1.1: one per running request, kept for the next. */
export class Http1Link {
  readonly #agent: Agent;
  readonly #host: string;

  constructor(url: URL, dial: Dial) {
    this.#host = url.host;
    this.#agent = new DialingAgent(dial);
  }

  /** Keeps no connection once its request has finished. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  destroy(): void {
    this.#agent.destroy();
  }

  exchange(wire: WireRequest): Promise<KubeResponse | undefined> {
    const request = send({
      agent: this.#agent,
      method: wire.method,
      path: wire.path,
      headers: { host: this.#host, ...(wire.headers as Record<string, string | string[]>) },
    });
    request.once(
      'close',
      onAbort(wire.signal, () => request.destroy()),
    );
    request.end(wire.body);
    return this.#answer(request, wire);
  }

  #answer(request: ClientRequest, wire: WireRequest): Promise<KubeResponse | undefined> {
    return new Promise((resolve, reject) => {
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (wire.signal.aborted) reject(wire.signal.reason);
        // the server closed an idle connection while our request was on its way to it
        else if (wire.method === 'GET' && request.reusedSocket && error.code === 'ECONNRESET')
          resolve(undefined);
        else reject(unreachable(this.#host, error));
      });
      request.once('response', (stream) => {
        const { statusCode = 0, headers } = stream;
        const abandon = (): void => void request.destroy();
        const isComplete = (): boolean => stream.complete;
        resolve(answerFrom({ status: statusCode, headers, stream, abandon, isComplete }, wire, this.#host));
      });
    });
  }
}

/** Keeps connections like any agent, but leaves the making of them to us: TLS, proxies and names are ours to decide. */
class DialingAgent extends Agent {
  readonly #dial: Dial;

  constructor(dial: Dial) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 16 });
    this.#dial = dial;
  }

  override createConnection(
    _options: unknown,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    this.#dial().then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
