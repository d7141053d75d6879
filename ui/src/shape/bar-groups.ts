import type { Bar } from './operation-timeline.ts';

/** One bar of the strip: a resource, or many in the same state. */
export type BarGroup = Pick<Bar, 'key' | 'state'> & { readonly count: number; readonly title: string };

/** More than this many bars beside one another are no bars any more. */
const most = 60;

/**
 * A bar for each resource while they fit; of very many, those in the same state become one, as wide as their
 * number.
 */
export function groupBars(bars: readonly Bar[]): readonly BarGroup[] {
  if (bars.length <= most) {
    return bars.map(({ key, state, kind, name, word }) => ({
      key,
      state,
      count: 1,
      title: `${kind} ${name}: ${word}`,
    }));
  }
  const found = new Map<Bar['state'], BarGroup>();
  for (const { key, state, word } of bars) {
    const before = found.get(state);
    const count = (before?.count ?? 0) + 1;
    found.set(state, { key: before?.key ?? key, state, count, title: `${count} ${word}` });
  }
  return [...found.values()];
}
