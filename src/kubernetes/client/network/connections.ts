import type { Socket } from 'node:net';
import { type Ctx, FairleadError, SingleFlight } from '#base/std';
import { connectSocket, type WebSocketEnd } from '#platform/web-socket';
import type { KubeResponse } from '../transport.ts';
import { type DialTarget, dial, speaksHttp2 } from './dial.ts';
import type { WireRequest } from './exchange.ts';
import { unreachable } from './explain.ts';
import { Http1Link } from './http1-link.ts';
import { Http2Link } from './http2-link.ts';

const maxTries = 3;

/**
 * All connections to one server with one set of keys: HTTP/2 where the server supports it, as few connections
 * as its limit on concurrent requests allows, else HTTP/1.1.
 */
export class Connections {
  readonly #endpoint: DialTarget;
  readonly #opening = new SingleFlight<void>();
  readonly #http1: Http1Link;
  #links: Http2Link[] = [];
  /** The server's protocol; known after the first connection. */
  #http2: boolean | undefined;
  /** A connection opened to detect the server's protocol, waiting for its first request. */
  #spare: Socket | undefined;

  constructor(endpoint: DialTarget) {
    this.#endpoint = endpoint;
    this.#http2 = endpoint.url.protocol === 'https:' ? undefined : false;
    this.#http1 = new Http1Link(endpoint.url, () => this.#dialHttp1());
  }

  /** Throws Unavailable when the server cannot be reached. */
  async exchange(ctx: Ctx, request: WireRequest): Promise<KubeResponse> {
    for (let tries = 0; tries < maxTries; tries++) {
      const link = await this.#link(ctx);
      const answer = await link.exchange(request);
      if (answer) return answer;
    }
    throw new FairleadError(
      'Unavailable',
      `the cluster at ${this.#endpoint.url.host} keeps closing its connections`,
    );
  }

  /** A WebSocket, over a connection of its own. Throws Unavailable when the server cannot be reached. */
  async openStream(request: WireRequest, protocols: readonly string[]): Promise<WebSocketEnd> {
    const { signal, path, headers } = request;
    const { host } = this.#endpoint.url;
    const connection = await dial(this.#endpoint, ['http/1.1'], signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : unreachable(host, error);
    });
    try {
      return await connectSocket({ host, path, headers, protocols, connection, signal });
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Takes no more requests; those under way may finish. */
  retire(): void {
    for (const link of this.#links) link.retire();
    this.#http1.retire();
    this.#spare?.destroy();
  }

  /** Ends everything at once. */
  destroy(): void {
    for (const link of this.#links) link.destroy();
    this.#links = [];
    this.#http1.destroy();
    this.#spare?.destroy();
  }

  async #link(ctx: Ctx): Promise<Http2Link | Http1Link> {
    for (;;) {
      if (this.#http2 === false) return this.#http1;
      const link = this.#links.find((one) => one.take());
      if (link) return link;
      await this.#opening.run(ctx, 'link', (inner) => this.#open(inner));
    }
  }

  async #open(ctx: Ctx): Promise<void> {
    const { url } = this.#endpoint;
    try {
      const socket = await dial(this.#endpoint, ['h2', 'http/1.1'], ctx.signal);
      this.#http2 = speaksHttp2(socket);
      if (this.#http2) {
        const link = await Http2Link.open(url, socket, ctx.signal);
        this.#links = [...this.#links.filter(({ isDead }) => !isDead), link];
      } else {
        this.#spare = socket;
      }
    } catch (error) {
      throw ctx.signal.aborted ? ctx.signal.reason : unreachable(url.host, error);
    }
  }

  async #dialHttp1(): Promise<Socket> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare && !spare.destroyed) return spare;
    // bounded by the time dialling may take; a caller that gave up meanwhile leaves the connection to the next
    return dial(this.#endpoint, ['http/1.1'], new AbortController().signal);
  }
}
