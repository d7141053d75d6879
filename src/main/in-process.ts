import type { Transport } from '#kubernetes/client';
import { nextSlice } from '#platform/workers';

/** Reading and checking this many bytes takes milliseconds. */
const large = 32 * 1024;

/**
 * The transport to a server in this very process. Without a network in between, a client with many requests would block
 * everything else: a large request waits for an iteration of the event loop of its own, a small one does not.
 */
export function inProcess(handle: Transport): Transport {
  return async (request) => {
    if ((request.body?.length ?? 0) > large) await nextSlice();
    const answer = await handle(request);
    if (lengthOf(answer.body) > large) await nextSlice();
    return answer;
  };
}

const lengthOf = (body: Awaited<ReturnType<Transport>>['body']): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
