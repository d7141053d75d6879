/** Anything that has children can be laid out. */
type Box<T> = { readonly children: readonly T[] };

export type Measures<T> = {
  /** The width of a box; a column is as wide as its widest. */
  readonly widthOf: (box: T) => number;
  readonly height: number;
  /** Space between columns and between rows. */
  readonly gapX: number;
  readonly gapY: number;
};

export type Placed<T> = {
  readonly box: T;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
};
export type Edge = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };
export type Layout<T> = {
  /** From top to bottom, so that what is in view is one slice. */
  readonly placed: readonly Placed<T>[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

/**
 * A tidy tree from left to right: a column for each generation, a row for each leaf, a parent beside its first child.
 * The root stands at the top left, where reading begins, and nothing overlaps because a subtree owns its rows.
 * Two walks, so two thousand boxes take a few milliseconds.
 */
export function layoutTree<T extends Box<T>>(
  root: T,
  { widthOf, height, gapX, gapY }: Measures<T>,
): Layout<T> {
  const widths = columnWidths(root, widthOf);
  const lefts = widths.map((_, level) =>
    widths.slice(0, level).reduce((sum, width) => sum + width + gapX, 0),
  );
  const placed: Placed<T>[] = [];
  const edges: Edge[] = [];
  let row = 0;

  const put = (box: T, level: number, place: number, siblings: number): Placed<T> => {
    const [x, width] = [lefts[level] ?? 0, widths[level] ?? 0];
    const mine = { box, level, place, siblings, x, width, y: row * (height + gapY) };
    placed.push(mine);
    box.children.forEach((child, at) => {
      const below = put(child, level + 1, at + 1, box.children.length);
      edges.push({ x1: x + width, y1: mine.y + height / 2, x2: below.x, y2: below.y + height / 2 });
    });
    if (box.children.length === 0) row += 1;
    return mine;
  };

  put(root, 0, 1, 1);
  return {
    placed,
    edges,
    width: (lefts.at(-1) ?? 0) + (widths.at(-1) ?? 0),
    height: Math.max(1, row) * (height + gapY) - gapY,
  };
}

function columnWidths<T extends Box<T>>(root: T, widthOf: (box: T) => number): number[] {
  const widths: number[] = [];
  const look = (box: T, level: number) => {
    widths[level] = Math.max(widths[level] ?? 0, widthOf(box));
    for (const child of box.children) look(child, level + 1);
  };
  look(root, 0);
  return widths;
}

/** The boxes and edges that touch a band of the picture. */
export function withinBand<T>({ placed, edges }: Layout<T>, top: number, bottom: number) {
  return {
    placed: placed.filter(({ y }) => y >= top && y <= bottom),
    edges: edges.filter(({ y1, y2 }) => y2 >= top && y1 <= bottom),
  };
}
