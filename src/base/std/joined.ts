import { onAbort } from './on-abort.ts';

/** A signal made of others. `release` is safe to repeat. */
type Joined = { readonly signal: AbortSignal; release(): void };

/**
 * A signal that aborts with the first of the others, for its reason. It stays attached to them until one of them aborts or
 * `release` is called, at the latest when the work ends that it was made for. AbortSignal.any has no release: in Node 20 each
 * call leaves an entry in every signal that it joins for as long as that one lives, which may be as long as the process.
 */
export function joined(...signals: readonly AbortSignal[]): Joined {
  const inner = new AbortController();
  const attached: (() => void)[] = [];
  const release = (): void => {
    for (const detach of attached.splice(0)) detach();
  };
  for (const signal of signals) {
    if (inner.signal.aborted) break;
    const detach = onAbort(signal, () => {
      release();
      inner.abort(signal.reason);
    });
    attached.push(detach);
  }
  return { signal: inner.signal, release };
}
