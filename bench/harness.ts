/** One thing measured against one baseline, both in the same process, interleaved. */
export type BenchCase = {
  readonly name: string;
  readonly baseline: string;
  /** How many operations one call of either side performs. */
  readonly operations?: number;
  run(): void | Promise<void>;
  against(): void | Promise<void>;
};

export type Measured = { name: string; baseline: string; microseconds: number; baselineMicroseconds: number };

const rounds = 15;
const roundMs = 40;

/** Medians of interleaved rounds: a noisy neighbour disturbs both sides alike, so read the ratio. */
export async function measure(bench: BenchCase): Promise<Measured> {
  const ours: number[] = [];
  const theirs: number[] = [];
  await timed(() => bench.run());
  await timed(() => bench.against());
  for (let round = 0; round < rounds; round++) {
    ours.push(await timed(() => bench.run()));
    theirs.push(await timed(() => bench.against()));
  }
  const per = (all: number[]) => (median(all) * 1000) / (bench.operations ?? 1);
  return {
    name: bench.name,
    baseline: bench.baseline,
    microseconds: per(ours),
    baselineMicroseconds: per(theirs),
  };
}

/** Milliseconds one call takes, averaged over about one round's time. */
async function timed(call: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < roundMs) {
    await call();
    calls += 1;
  }
  return (performance.now() - start) / calls;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Something measured once, beside what it should be at most; a baseline for the others has no target. */
export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: number | undefined;
};
