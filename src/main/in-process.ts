import type { Transport } from '#kubernetes/client';
import { inTurn } from '#platform/workers';

/** What has so many bytes takes milliseconds to read and to check. */
const large = 32 * 1024;

/**
 * The way to a server in this very process. There is no network between the two, and so nothing would come in between
 * the requests of whoever has many: what is large waits for a turn of the event loop of its own, what is small does not.
 */
export function inProcess(handle: Transport): Transport {
  return async (request) => {
    if ((request.body?.length ?? 0) > large) await inTurn();
    const answer = await handle(request);
    if (lengthOf(answer.body) > large) await inTurn();
    return answer;
  };
}

const lengthOf = (body: Awaited<ReturnType<Transport>>['body']): number =>
  typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
