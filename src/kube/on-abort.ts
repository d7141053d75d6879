import { setMaxListeners } from 'node:events';

/** Calls back when the signal aborts, at once if it already has. Returns the way to stop listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  setMaxListeners(0, signal); // a thousand watches under one signal are no leak
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}
