import type { TreeItem } from './resource-forest.ts';

/** What a search found in a tree. */
export type TreeMatches = {
  /** The matching resources, in reading order; one that stands in two places is named once. */
  readonly items: readonly TreeItem[];
  readonly matching: ReadonlySet<TreeItem>;
  /** Resources with a match among their descendants: their branches unfold. */
  readonly holding: ReadonlySet<TreeItem>;
};

const nothing: TreeMatches = { items: [], matching: new Set(), holding: new Set() };

/** Every word must be part of the kind or of the name, in any case. */
export function searchTree(items: readonly TreeItem[], text: string): TreeMatches {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return nothing;
  const [matching, holding] = [new Set<TreeItem>(), new Set<TreeItem>()];
  const visit = (item: TreeItem): boolean => {
    const isMatch = matches(item, words);
    if (isMatch) matching.add(item); // before those below it: reading order
    let holds = false;
    for (const child of item.children) holds = visit(child) || holds;
    if (holds) holding.add(item);
    return isMatch || holds;
  };
  for (const item of items) visit(item);
  return { items: [...matching], matching, holding };
}

function matches({ kind, name }: TreeItem, words: readonly string[]): boolean {
  const text = `${kind}\n${name}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The match after or before another, round and round; the first where there is none yet. */
export function nextMatch({ items }: TreeMatches, from: number | undefined, by: 1 | -1): number {
  if (from === undefined) return by === 1 ? 0 : Math.max(0, items.length - 1);
  return items.length === 0 ? 0 : (from + by + items.length) % items.length;
}
