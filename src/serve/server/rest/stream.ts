import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { type Ctx, joined, printJson } from '#base/std';
import { streamRefusalOf } from '../errors.ts';

const keepAliveMs = 15_000;

type Streamed = {
  readonly messages: AsyncIterable<unknown>;
  /** The text of a message in a file; undefined: none. */
  readonly line?: ((message: never) => string | undefined) | undefined;
};

/** How the messages of a stream are written. */
type Form = {
  readonly type: string;
  textOf(message: unknown): string;
  /** Undefined: the connection is cut, because a file that is incomplete must not look complete. */
  failure?(error: unknown): string;
};

function formOf({ headers }: IncomingMessage, line: Streamed['line']): Form {
  if (line) {
    const textOf = (message: unknown): string => line(message as never) ?? '';
    return { type: 'application/octet-stream', textOf };
  }
  const isEvents = (headers.accept ?? '').includes('text/event-stream');
  const frame = (json: string) => (isEvents ? `data: ${json}\n\n` : `${json}\n`);
  return {
    type: isEvents ? eventStream : 'application/json',
    textOf: (message) => frame(resultText(message)),
    failure: (error) => frame(printJson(streamRefusalOf(error))),
  };
}

const resultTexts = new WeakMap<object, string>();

/** Messages never change, and a thousand streams may send the same one: it is printed once. */
function resultText(message: unknown): string {
  if (typeof message !== 'object' || message === null) return printJson({ result: message });
  const known = resultTexts.get(message);
  if (known !== undefined) return known;
  const text = printJson({ result: message });
  resultTexts.set(message, text);
  return text;
}

const eventStream = 'text/event-stream';

/**
 * compat server §2.5: server-sent events for clients that accept them, else one JSON object a line;
 * each message in an envelope. An error ends the stream as its last message.
 */
export async function sendStream(
  ctx: Ctx,
  { messages, line }: Streamed,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { type, textOf, failure } = formOf(request, line);
  const stop = new AbortController();
  const { signal, release } = joined(ctx.signal, stop.signal);
  const inner = { ...ctx, signal };
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  const beat = type === eventStream ? keepAlive(inner, response) : Promise.resolve();
  try {
    for await (const message of messages) await write(response, textOf(message));
  } catch (error) {
    if (!failure) response.destroy();
    else if (!ctx.signal.aborted) await write(response, failure(error));
  } finally {
    stop.abort();
    await beat;
    release();
    response.end();
  }
}

async function keepAlive(ctx: Ctx, response: ServerResponse): Promise<void> {
  for (;;) {
    const slept = await ctx.clock.sleep(keepAliveMs, ctx.signal).then(
      () => true,
      () => false,
    );
    if (!slept) return;
    await write(response, ':\n\n');
  }
}

/** Waits for a slow reader, so that a message is never kept in memory twice. */
export function write(response: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.write(text)) {
      resolve();
      return;
    }
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}
