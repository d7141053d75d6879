import type { WebSocketEnd } from '#platform/web-socket';

/** One request to one API server; `path` includes the query. Header names are lower-case. */
export type KubeRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
};

/**
 * A stream body ends by itself or when the request's signal aborts; the caller reads it to the end or returns
 * it.
 */
export type KubeResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: KubeBody;
};

export type KubeBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/**
 * How bytes reach an API server: over the network, or directly to a cluster in this process. Any response of
 * the server, also an error, is a value; only an unreachable server throws.
 */
export type Transport = {
  (request: KubeRequest): Promise<KubeResponse>;
  /**
   * Opens a stream in both directions with one of the subprotocols. Throws UpgradeRefused when the server does not grant it.
   * Left out: such streams cannot be opened this way.
   */
  readonly openStream?: OpenStream;
};

export type OpenStream = (request: KubeRequest, protocols: readonly string[]) => Promise<WebSocketEnd>;
