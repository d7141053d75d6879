type Listeners = { readonly each: Set<() => void>; readonly hear: () => void };

/** The platform warns of a leak at its eleventh listener; a thousand that wait under one signal are none. */
const listening = new WeakMap<AbortSignal, Listeners>();

/** Calls back when the signal aborts, at once if it already has. Returns the way to stop listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const { each, hear } = listening.get(signal) ?? listen(signal);
  const one = (): void => listener();
  each.add(one);
  return () => {
    // a signal without listeners may be garbage-collected with its timer
    if (!each.delete(one) || each.size > 0) return;
    signal.removeEventListener('abort', hear);
    listening.delete(signal);
  };
}

function listen(signal: AbortSignal): Listeners {
  const each = new Set<() => void>();
  const hear = (): void => {
    listening.delete(signal);
    for (const one of each) one();
  };
  const listeners = { each, hear };
  listening.set(signal, listeners);
  signal.addEventListener('abort', hear);
  return listeners;
}
