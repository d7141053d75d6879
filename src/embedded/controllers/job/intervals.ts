/** Whole numbers as ranges, lowest first: `0,3-5`. */
export type Intervals = readonly (readonly [first: number, last: number])[];

/** Ranges that cannot be parsed, or lie beyond the limit, are left out. */
export function parseIntervals(text: string | undefined, limit: number): Intervals {
  const runs = (text ?? '').split(',').flatMap((part) => {
    const [, first, last] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? [];
    if (first === undefined) return [];
    const run = [Number(first), Math.min(Number(last ?? first), limit - 1)] as const;
    return run[0] <= run[1] ? [run] : [];
  });
  return merged(runs);
}

/** A range of two is written as two numbers, as in `1,2,4-6`. */
export const printIntervals = (runs: Intervals): string =>
  runs
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`,
    )
    .join(',');

export const withNumbers = (runs: Intervals, numbers: readonly number[]): Intervals =>
  numbers.length === 0 ? runs : merged([...runs, ...numbers.map((one) => [one, one] as const)]);

export const includesNumber = (runs: Intervals, number: number): boolean =>
  runs.some(([first, last]) => first <= number && number <= last);

export const totalOf = (runs: Intervals): number =>
  runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** How many numbers two sets share. */
export const sharedBy = (a: Intervals, b: Intervals): number =>
  a.reduce(
    (sum, [first, last]) =>
      sum +
      b.reduce((part, [from, to]) => part + Math.max(0, Math.min(last, to) - Math.max(first, from) + 1), 0),
    0,
  );

function merged(runs: Intervals): Intervals {
  const result: [number, number][] = [];
  for (const [first, last] of [...runs].sort((a, b) => a[0] - b[0])) {
    const before = result.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else result.push([first, last]);
  }
  return result;
}
