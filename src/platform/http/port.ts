import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';

/** A port, and how its connections are ended. */
export type Port = Pick<Server, 'on' | 'once' | 'off' | 'listen' | 'close' | 'address'> & {
  closeAllConnections(): void;
};
export type RequestLimits = {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** Bytes of all headers. */
  readonly maxHeaderSize: number;
};
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void;
