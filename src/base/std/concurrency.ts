/**
 * A concurrency limit: so many items, and at most `most` of the total weight that `weigh` returns for them.
 */
export type ConcurrencyLimit<Item> = {
  readonly width: number;
  readonly most: number;
  weigh(item: Item): number;
};

/**
 * Runs the work for every item, in order, as soon as the limit permits: at most `width` at a time, however
 * long some of them take. One item may always run, whatever its weight. Returns the results in the order of
 * the items. Rejects with the first failure, and starts nothing more.
 */
export async function atOnce<Item, Result>(
  room: number | ConcurrencyLimit<Item>,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const { width, most, weigh } = typeof room === 'number' ? { ...weightless, width: room } : room;
  const results = new Array<Result>(items.length);
  const underWay = new Set<Promise<void>>();
  let load = 0;
  for (const [index, item] of items.entries()) {
    const weight = weigh(item);
    const isFull = (): boolean => underWay.size >= width || (underWay.size > 0 && load + weight > most);
    while (isFull()) await Promise.race(underWay);
    load += weight;
    const one = work(item).then((result) => {
      results[index] = result;
      load -= weight;
      underWay.delete(one);
    });
    underWay.add(one);
  }
  await Promise.all(underWay);
  return results;
}

const weightless = { most: Number.POSITIVE_INFINITY, weigh: () => 0 };
