/** What is measured once a minute of one started process. */
export type Sample = {
  /** Minutes since the soak began. */
  readonly minute: number;
  /** Which start of the program; each has its own memory. */
  readonly life: number;
  /** Steps of work since the soak began. */
  readonly steps: number;
  /** Resident memory before the garbage was collected, which says how lazily it is collected. */
  readonly foundMb: number;
  /** Resident memory after that, pages of mapped files included. */
  readonly rssMb: number;
  /** The part of it that is no page of a file. */
  readonly anonMb: number;
  /** Used heap after the garbage was collected. */
  readonly heapMb: number;
  readonly descriptors: number;
  readonly children: number;
};

export type Measured = 'rssMb' | 'anonMb' | 'heapMb' | 'descriptors';

export type Trend = {
  readonly of: Measured;
  readonly mean: number;
  readonly perHour: number;
  readonly isFlat: boolean;
};

/** Growth in an hour that still counts as flat: a share of the mean, or this much where the mean is small. */
export const flatness: Readonly<Record<Measured, { readonly share: number; readonly atLeast: number }>> = {
  rssMb: { share: 0.1, atLeast: 20 },
  anonMb: { share: 0.1, atLeast: 20 },
  heapMb: { share: 0.1, atLeast: 10 },
  descriptors: { share: 0.1, atLeast: 5 },
};

/**
 * The linear trend of the second half, without each start's warm-up: one slope for all lives, since a restart changes the level and
 * not what leaks. In the first half what is bounded fills up to its bound: Events, histories, caches. What leaks grows in the second
 * half as in the first. Undefined when fewer than five samples remain.
 */
export function trendOf(samples: readonly Sample[], of: Measured, warmUpMinutes: number): Trend | undefined {
  const lives = [...new Set(samples.map(({ life }) => life))].map((life) =>
    samples.filter((one) => one.life === life),
  );
  const half = Math.max(...samples.map(({ minute }) => minute)) / 2;
  const kept = lives.map((life) =>
    life.filter(({ minute }) => minute > half && minute >= (life[0]?.minute ?? 0) + warmUpMinutes),
  );
  let [above, below] = [0, 0];
  for (const life of kept) {
    const [x, y] = [meanOf(life.map(({ minute }) => minute)), meanOf(life.map((one) => one[of]))];
    for (const one of life) {
      above += (one.minute - x) * (one[of] - y);
      below += (one.minute - x) ** 2;
    }
  }
  const all = kept.flat();
  if (all.length < 5 || below === 0) return undefined;
  const mean = meanOf(all.map((one) => one[of]));
  const perHour = (above / below) * 60;
  const { share, atLeast } = flatness[of];
  return { of, mean, perHour, isFlat: perHour <= Math.max(mean * share, atLeast) };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
