export type Backoff = {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the delay that is random, 0 to 1: 0.2 spreads a delay of 10 s over 8 s to 10 s. */
  readonly jitter?: number;
};

/** The wait before attempt `attempt` (0 is the first retry). `random` is in [0, 1). */
export function delayOf(backoff: Backoff, attempt: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.initialMs * backoff.factor ** Math.max(0, attempt));
  return Math.round(full * (1 - (backoff.jitter ?? 0) * random));
}
