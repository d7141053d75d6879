import { compareQuantities, quantityOf, scaledValue } from '#base/model';

/** Resources by name, in thousandths of their unit. */
export type Amounts = Readonly<Record<string, number>>;

const shown: ReadonlySet<string> = new Set(['cpu', 'memory', 'storage']);

/**
 * The resources of a list that the tree reports. A value that is no quantity, or a negative one, is left out.
 */
export function amountsIn(list: Readonly<Record<string, unknown>> | null | undefined): Amounts {
  const found = Object.entries(list ?? {}).flatMap(([name, value]): [string, number][] => {
    const amount = shown.has(name) ? thousandths(value) : undefined;
    return amount === undefined ? [] : [[name, amount]];
  });
  return Object.fromEntries(found);
}

/** Kubernetes counts thousandths in 64 bits; a larger quantity counts as the largest. */
const largest = '9223372036854775807m';

function thousandths(value: unknown): number | undefined {
  const quantity = quantityOf(value);
  if (!quantity || compareQuantities(quantity, 0) < 0) return undefined;
  return Number(scaledValue(compareQuantities(quantity, largest) > 0 ? largest : quantity, -3));
}

/** Amounts are never negative, so an absent one counts as zero in sums and maxima. */
export const sumOf = (a: Amounts, b: Amounts): Amounts => combined(a, b, (left, right) => left + right);

export const maxOf = (a: Amounts, b: Amounts): Amounts => combined(a, b, Math.max);

function combined(a: Amounts, b: Amounts, combine: (left: number, right: number) => number): Amounts {
  if (Object.keys(b).length === 0) return a;
  if (Object.keys(a).length === 0) return b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, combine(a[name] ?? 0, b[name] ?? 0)]));
}
