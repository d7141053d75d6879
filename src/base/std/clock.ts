/** Time as a capability: real in production, virtual in a rehearsal or a test. */
export type Clock = {
  now(): Date;
  /** Rejects with the signal's reason when aborted, also when aborted before the call. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/** The longest wait a platform timer can hold; longer naps are taken in pieces. */
const longest = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    let left = ms;
    while (left > longest) {
      await nap(longest, signal);
      left -= longest;
    }
    await nap(left, signal);
  },
};

function nap(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    // biome-ignore lint/style/noRestrictedGlobals: the only timer in the house
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', stop);

    function wake(): void {
      signal.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      reject(signal.reason);
    }
  });
}
