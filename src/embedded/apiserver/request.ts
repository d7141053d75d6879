import type { RequestUser } from './authorize.ts';

/** One request for the core; `path` includes the query. It has the same form over the network and in process. */
export type ServedRequest = {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /**
   * The authenticated user of the connection; `unknown`: the request needs a token. Absent in process: the
   * insider.
   */
  readonly peer?: RequestUser | 'unknown';
};

/** A stream body ends by itself or when the request's signal aborts. */
export type ServedResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Aborts when the client reads a stream too slowly to serve the rest: its connection is to be closed. */
  readonly overrun?: AbortSignal;
};
