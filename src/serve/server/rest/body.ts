import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import { slices } from '#platform/workers';
import { write } from './stream.ts';

export type RestExchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const jsonHeaders = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

/** Smaller bodies fit into one packet anyway. */
export const compressedFrom = 1400;
/**
 * Written in pieces of about this many characters, each when the previous one was sent, yielding to other work in
 * between.
 */
const pieceLength = 64 * 1024;

// measured on lists of applications: twelve to fifteen times smaller; higher levels cost twice the time for a tenth of the size
const gzipOptions: ZlibOptions = { level: 3 };
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const [gzipped, brotlied] = [promisify(gzip), promisify(brotliCompress)];

type Encoding = {
  readonly name: 'br' | 'gzip';
  whole(text: string): Promise<Buffer>;
  stream(): Writable & NodeJS.ReadableStream;
};

const brotli: Encoding = {
  name: 'br',
  whole: (text) => brotlied(text, brotliOptions),
  stream: () => createBrotliCompress(brotliOptions),
};
const gzipping: Encoding = {
  name: 'gzip',
  whole: (text) => gzipped(text, gzipOptions),
  stream: () => createGzip(gzipOptions),
};

/**
 * What the client accepts, for a read. Responses that hold a token are never compressed: they answer requests of other methods,
 * and next to text of an attacker a compressed secret can be guessed by its length.
 */
const encodingFor = (request: IncomingMessage): Encoding | undefined =>
  [brotli, gzipping].find(({ name }) => isAccepted(request, name));

function isAccepted({ method, headers }: IncomingMessage, name: Encoding['name']): boolean {
  if (method !== 'GET') return false;
  const accepted = new Map(
    String(headers['accept-encoding'] ?? '')
      .split(',')
      .map((one) => {
        const [name = '', ...options] = one.split(';').map((part) => part.trim().toLowerCase());
        const weight = options.find((option) => option.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight)] as const;
      }),
  );
  return (accepted.get(name) ?? accepted.get('*') ?? 0) > 0;
}

export const isGzipAccepted = (request: IncomingMessage): boolean => isAccepted(request, 'gzip');

/** Sends a whole JSON text; a large one is compressed where it is the result of a read. */
export async function sendText(
  { request, response }: RestExchange,
  status: number,
  text: string,
): Promise<void> {
  const isLarge = status === 200 && text.length >= compressedFrom;
  const encoding = isLarge ? encodingFor(request) : undefined;
  const body = encoding ? await encoding.whole(text) : Buffer.from(text);
  if (response.destroyed) return;
  response
    .writeHead(status, { ...jsonHeaders, ...encodedBy(encoding, isLarge), 'content-length': body.length })
    .end(body);
}

/** A cache in between must not hand a compressed body to a client that does not accept it. */
const encodedBy = (encoding: Encoding | undefined, isLarge: boolean) => ({
  ...(isLarge && { vary: 'accept-encoding' }),
  ...(encoding && { 'content-encoding': encoding.name }),
});

export const gzipHeaders = { ...jsonHeaders, ...encodedBy(gzipping, true) };

/** Sends a JSON text that is too large for memory, as it is made. */
export async function sendPieces(exchange: RestExchange, pieces: Iterable<string>): Promise<void> {
  const { response } = exchange;
  const pause = slices();
  let out: Writable | undefined;
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < pieceLength) continue;
    out ??= opened(exchange);
    await write(out, text);
    await pause();
    if (response.destroyed) return;
    text = '';
  }
  if (out) out.end(text);
  else await sendText(exchange, 200, text);
}

function opened({ request, response }: RestExchange): Writable {
  const encoding = encodingFor(request);
  response.writeHead(200, { ...jsonHeaders, ...encodedBy(encoding, true) });
  if (!encoding) return response;
  const encoder = encoding.stream();
  encoder.pipe(response);
  response.on('close', () => encoder.destroy());
  return encoder;
}
