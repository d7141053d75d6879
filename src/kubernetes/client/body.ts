import { StringDecoder } from 'node:string_decoder';
import { FairleadError } from '#base/std';
import type { KubeBody } from './transport.ts';

/**
 * The maximum size of one response, or of one line of a stream; the language's own limit on strings is just
 * above.
 */
const maxBytes = 400 * 1024 * 1024;

/** The whole body as text. */
export async function readText(body: KubeBody): Promise<string> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return bytesOf(body).toString('utf8');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : bytesOf(chunk);
    size += bytes.length;
    if (size > maxBytes) throw tooLong();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** The body line by line as it comes, without the line ends; a last line needs none. */
export async function* readLines(body: KubeBody): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8'); // several times as fast as TextDecoder in a stream
  let rest = '';
  for await (const chunk of chunksOf(body)) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(bytesOf(chunk));
    let from = 0;
    // only new text is searched: a line that comes in a thousand pieces is not read a thousand times
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield rest + text.slice(from, end);
      rest = '';
      from = end + 1;
    }
    rest += text.slice(from);
    if (rest.length > maxBytes) throw tooLong();
  }
  rest += decoder.end();
  if (rest) yield rest;
}

/** Gives a body up unread, so that its connection is free again. */
export async function discard(body: KubeBody): Promise<void> {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  await body[Symbol.asyncIterator]().return?.();
}

function chunksOf(body: KubeBody): AsyncIterable<string | Uint8Array> | readonly (string | Uint8Array)[] {
  return typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
}

function bytesOf(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function tooLong(): FairleadError {
  return new FairleadError('LimitExceeded', `the cluster's answer is longer than ${maxBytes >> 20} MiB`);
}
