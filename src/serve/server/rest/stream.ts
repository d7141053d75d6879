import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Ctx, joined, printJson } from '#base/std';
import { streamRefusalOf } from '../errors.ts';

const keepAliveMs = 15_000;

/**
 * compat server §2.5: server-sent events for clients that accept them, else one JSON object a line;
 * each message in an envelope. An error ends the stream as its last message.
 */
export async function sendStream(
  ctx: Ctx,
  messages: AsyncIterable<unknown>,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const isEvents = (request.headers.accept ?? '').includes('text/event-stream');
  const frame = (message: unknown) =>
    isEvents ? `data: ${printJson(message)}\n\n` : `${printJson(message)}\n`;
  const stop = new AbortController();
  const { signal, release } = joined(ctx.signal, stop.signal);
  const inner = { ...ctx, signal };
  response.writeHead(200, {
    'content-type': isEvents ? 'text/event-stream' : 'application/json',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  const beat = isEvents ? keepAlive(inner, response) : Promise.resolve();
  try {
    for await (const message of messages) await write(response, frame({ result: message }));
  } catch (error) {
    if (!ctx.signal.aborted) await write(response, frame(streamRefusalOf(error)));
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
export function write(response: ServerResponse, text: string): Promise<void> {
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
