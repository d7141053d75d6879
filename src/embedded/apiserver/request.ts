import type { RequestUser } from './authorize.ts';

/** One request as the core sees it; `path` includes the query. The same shape comes off the wire and in process. */
export type ServedRequest = {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** Whom the connection proves; `unknown`: somebody who must bring a token. Absent in process: whoever holds the cluster. */
  readonly peer?: RequestUser | 'unknown';
};

/** A stream body ends by itself or when the request's signal aborts. */
export type ServedResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Aborts when the client reads a stream so slowly that the rest cannot be served: its connection is to be dropped. */
  readonly overrun?: AbortSignal;
};
