import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { KubeResponse } from '../transport.ts';
import { unreachable } from './explain.ts';

/** A request on the wire: a header may have several values. */
export type WireRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
};

type Incoming = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly stream: Readable;
  /** Ends the exchange whether or not it was read; safe to repeat. */
  readonly abandon: () => void;
  /** Called at the end of the stream: whether the body is complete. */
  readonly isComplete: () => boolean;
};

/** A response whose body is read from the wire as the caller reads it, decompressed on the way. */
export function answerFrom(incoming: Incoming, { signal }: WireRequest, host: string): KubeResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !name.startsWith(':'))
      headers[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  const packed = headers['content-encoding'] === 'gzip';
  const source = packed ? pipeline(incoming.stream, createGunzip(), () => {}) : incoming.stream;
  return { status: incoming.status, headers, body: readOnce(source, incoming, signal, host) };
}

/** Unlike a generator, this ends the exchange also when it is returned before its first use. */
function readOnce(
  source: Readable,
  { abandon, isComplete }: Incoming,
  signal: AbortSignal,
  host: string,
): AsyncIterable<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const chunk = await chunks.next();
        if (chunk.done && !isComplete())
          throw Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
        return chunk;
      } catch (error) {
        abandon();
        throw signal.aborted ? signal.reason : unreachable(host, error);
      }
    },
    async return() {
      abandon();
      source.destroy();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
