import { FairleadError, realClock } from '#base/std';
import type { ApiRequest, ApiResponse, Send } from '#serve/api';
import { eventLines } from './event-lines.ts';

const silenceMs = 40_000; // the server sends a heartbeat every 15 s; two missed ones mean a dead connection

/**
 * The browser's way to send: the session is a cookie, streams are server-sent events. `onSignedOut` is called with whether
 * the user was signed in before on this page.
 */
export function createSend(addressOf: (path: string) => string, onSignedOut: (wasIn: boolean) => void): Send {
  let wasIn = false;
  return async (request) => {
    const response = await send(addressOf(request.path), request);
    const isSession = request.path === '/api/v1/session';
    if (response.status === 401 && !(isSession && request.method === 'POST')) onSignedOut(wasIn);
    if (isSession && request.method === 'DELETE') wasIn = false;
    else if (response.ok && request.path.startsWith('/api/v1/applications')) wasIn = true;
    return answerOf(response);
  };
}

async function send(address: string, request: ApiRequest): Promise<Response> {
  const { method, path, headers, body, signal } = request;
  const isStream = path.startsWith('/api/v1/stream/') || /\/logs(?:\?|$)/.test(path);
  try {
    return await fetch(address, {
      method,
      credentials: 'same-origin',
      headers: { ...headers, ...(isStream && { accept: 'text/event-stream' }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new FairleadError('Unavailable', 'the server does not answer', error);
  }
}

function answerOf(response: Response): ApiResponse {
  return {
    status: response.status,
    text: () => response.text(),
    lines: () => eventLines(textIn(response)),
  };
}

async function* textIn({ body }: Response): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // already closed, or broken: either way it is over
  }
}

async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  const done = new AbortController();
  const silence = realClock.sleep(silenceMs, done.signal).then(() => {
    throw new FairleadError('Unavailable', 'the server fell silent');
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    silence.catch(() => {}); // aborted below: no caller awaits it any more
    done.abort();
  }
}
