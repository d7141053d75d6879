import { type Ctx, joined, onAbort } from '#base/std';

/** Longer waits are split. */
const longestMs = 24 * 3600_000;

/** Wakes everything that waits for a change. */
export class ChangeSignal {
  #next = new AbortController();

  /** Aborts with the next change. Read it before the state that it is about: no change in between is missed. */
  get next(): AbortSignal {
    return this.#next.signal;
  }

  fire(): void {
    this.#next.abort();
    this.#next = new AbortController();
  }
}

/** Resolves when one of the signals has aborted. */
export function untilAny(...signals: readonly AbortSignal[]): Promise<void> {
  const { signal, release } = joined(...signals);
  return new Promise<void>((resolve) => void onAbort(signal, resolve)).finally(release);
}

/** Returns after `ms`, when one of the signals aborts, or when `ctx` stops. The caller checks which. */
export async function sleepUntilAny(
  ctx: Ctx,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const woken = new AbortController();
  const listening = [ctx.signal, ...signals].map((one) => one && onAbort(one, () => woken.abort()));
  await ctx.clock.sleep(Math.min(ms, longestMs), woken.signal).catch(() => {}); // woken
  for (const stop of listening) stop?.();
}
