import type { Readable } from 'node:stream';
import { type Ctx, FairleadError } from '#base/std';
import { MessageFrames } from '#serve/grpc';

/** How long the message of a request, or the next bytes of a stream of them, may take to arrive. */
const arrivalMs = 60_000;

/** The one message of a request. Throws LimitExceeded for one of more than `most` bytes, or one that does not arrive. */
export function readMessage(ctx: Ctx, request: Readable, most: number): Promise<Buffer> {
  return inTime(ctx, collected(request, most));
}

/**
 * The messages of a request, as they arrive. Throws LimitExceeded for one of more than `most` bytes, or when nothing arrives. The
 * bytes of a message are valid until the next one is requested.
 */
export async function* readMessages(ctx: Ctx, request: Readable, most: number): AsyncGenerator<Buffer> {
  const reader = new MessageFrames(most);
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await inTime(ctx, chunks.next()).catch((error: unknown) => {
      throw error instanceof FairleadError ? error : cutOff();
    });
    if (next.done) break;
    yield* reader.take(next.value);
  }
  reader.end();
}

const cutOff = (): FairleadError => new FairleadError('Unavailable', 'the request was cut off');

async function inTime<Value>(ctx: Ctx, arriving: Promise<Value>): Promise<Value> {
  const arrived = new AbortController();
  const late = ctx.clock.sleep(arrivalMs, AbortSignal.any([ctx.signal, arrived.signal])).then(
    () => {
      throw new FairleadError('LimitExceeded', `the request did not arrive within ${arrivalMs / 1000} s`);
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([arriving, late]);
  } finally {
    arrived.abort();
  }
}

function collected(request: Readable, most: number): Promise<Buffer> {
  const reader = new MessageFrames(most);
  let message: Buffer | undefined;
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      request.off('data', read);
      request.pause();
      reject(error);
    };
    const read = (chunk: Buffer): void => {
      try {
        for (const one of reader.take(chunk)) {
          if (message) throw new FairleadError('InvalidSpec', 'the method takes one message, and got more');
          message = Buffer.from(one);
        }
      } catch (error) {
        stop(error);
      }
    };
    request.on('data', read);
    request.once('error', stop);
    request.once('close', () => stop(cutOff()));
    request.once('end', () => {
      try {
        reader.end();
        if (!message) throw new FairleadError('InvalidSpec', 'the method takes one message, and got none');
        resolve(message);
      } catch (error) {
        stop(error);
      }
    });
  });
}
