/** Anything that has children can be laid out. */
type Box<T> = { readonly children: readonly T[] };

export type Measures<T> = {
  /** The width of a box; a column is as wide as its widest. */
  readonly widthOf: (box: T) => number;
  readonly height: number;
  /** Space between columns and between rows. */
  readonly gapX: number;
  readonly gapY: number;
  /** Columns shrink to fit into `width`, none below `narrowest`. */
  readonly fit?: { readonly width: number; readonly narrowest: number } | undefined;
};

export type PositionedBox<T> = {
  readonly box: T;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  /** Its place when a branch is read to its end before the next one begins. */
  readonly order: number;
  /** The order of its parent; undefined: it is the root. */
  readonly parent: number | undefined;
};
export type Edge = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };
export type Layout<T> = {
  /** From top to bottom, and in a row from left to right. */
  readonly placed: readonly PositionedBox<T>[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

/**
 * A compact tidy tree from left to right: a column for each generation, a parent beside its first child, and each box in
 * the first free row of its column. A short branch moves up beside the depths of the one before, so a sparse tree has no
 * holes. No edge crosses a box: children of one parent stand together, below those of the parent before.
 * Each box is visited once, so two thousand take a few milliseconds.
 */
export function layoutTree<T extends Box<T>>(root: T, measures: Measures<T>): Layout<T> {
  const { height, gapX, gapY } = measures;
  const widths = fitted(columnWidths(root, measures.widthOf), measures);
  const lefts = widths.map((_, level) =>
    widths.slice(0, level).reduce((sum, width) => sum + width + gapX, 0),
  );
  const boxes = packed(root);
  const rows: PositionedBox<T>[][] = [];
  const placed = boxes.map(({ box, level, place, siblings, order, parent, row }): PositionedBox<T> => {
    const [x, width, y] = [lefts[level] ?? 0, widths[level] ?? 0, row * (height + gapY)];
    const one = { box, level, place, siblings, order, parent, x, y, width };
    rows[row] ??= [];
    rows[row].push(one);
    return one;
  });
  const edges: Edge[] = [];
  for (const { x, y, parent } of placed) {
    const owner = parent === undefined ? undefined : placed[parent];
    if (owner) edges.push({ x1: owner.x + owner.width, y1: owner.y + height / 2, x2: x, y2: y + height / 2 });
  }
  return {
    placed: rows.flatMap((row) => row.sort((a, b) => a.x - b.x)),
    edges,
    width: (lefts.at(-1) ?? 0) + (widths.at(-1) ?? 0),
    height: Math.max(1, rows.length) * (height + gapY) - gapY,
  };
}

type Packed<T> = Omit<PositionedBox<T>, 'x' | 'y' | 'width'> & { row: number };

/** The row of each box: the first that is free in its column and in those of its first descendants. */
function packed<T extends Box<T>>(root: T): Packed<T>[] {
  const boxes: Packed<T>[] = [];
  const free: number[] = []; // the next free row of each column
  const put = (box: T, parent: Packed<T> | undefined, place: number): number => {
    const level = parent ? parent.level + 1 : 0;
    const row = Math.max(parent?.row ?? 0, free[level] ?? 0);
    const siblings = parent?.box.children.length ?? 1;
    const one: Packed<T> = { box, level, place, siblings, order: boxes.length, parent: parent?.order, row };
    boxes.push(one);
    box.children.forEach((child, at) => {
      const first = put(child, one, at + 1);
      if (at === 0) one.row = first;
    });
    free[level] = one.row + 1;
    return one.row;
  };
  put(root, undefined, 1);
  return boxes;
}

function columnWidths<T extends Box<T>>(root: T, widthOf: (box: T) => number): number[] {
  const widths: number[] = [];
  const measure = (box: T, level: number) => {
    widths[level] = Math.max(widths[level] ?? 0, widthOf(box));
    for (const child of box.children) measure(child, level + 1);
  };
  measure(root, 0);
  return widths;
}

/** Each column gives up the same share of what it has above the narrowest. */
function fitted<T>(widths: readonly number[], { gapX, fit }: Measures<T>): number[] {
  if (!fit) return [...widths];
  const gaps = gapX * (widths.length - 1);
  const above = widths.map((width) => Math.max(0, width - fit.narrowest));
  const [sum, spare] = [widths, above].map((list) => list.reduce((total, one) => total + one, 0));
  const excess = (sum ?? 0) + gaps - fit.width;
  if (excess <= 0 || !spare) return [...widths];
  const share = Math.min(1, excess / spare);
  return widths.map((width, at) => Math.floor(width - (above[at] ?? 0) * share));
}

/** The boxes that begin in a band of the picture. A scroll needs them each time, so it is found without reading all of them. */
export function placedWithin<T>({ placed }: Layout<T>, top: number, bottom: number): PositionedBox<T>[] {
  return placed.slice(
    firstWhere(placed, ({ y }) => y >= top),
    firstWhere(placed, ({ y }) => y > bottom),
  );
}

/** The place of the first for which `isSo` holds, where it holds for all after it as well. */
function firstWhere<T>(list: readonly T[], isSo: (one: T) => boolean): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isSo(list[middle] as T)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The stretch of the picture that shows a box with its branch: from its parent to its first child. */
export function branchOf<T>({ placed }: Layout<T>, box: PositionedBox<T>): { left: number; right: number } {
  const parent = placed.find(({ order }) => order === box.parent);
  const child = placed.find((one) => one.parent === box.order);
  return { left: (parent ?? box).x, right: (child ?? box).x + (child ?? box).width };
}

type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';
export const isArrow = (key: string): key is Arrow =>
  ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key);

/** Up and down in its column, left to the owner, right to what it owns; at the end of a column, on in reading order. */
export function neighbourOf<T>(
  { placed }: Layout<T>,
  { order, level, y, parent }: PositionedBox<T>,
  key: Arrow,
): PositionedBox<T> | undefined {
  switch (key) {
    case 'ArrowLeft':
      return placed.find((one) => one.order === parent);
    case 'ArrowRight':
      return placed.find((one) => one.parent === order);
    case 'ArrowDown':
      return (
        placed.find((one) => one.level === level && one.y > y) ??
        placed.find((one) => one.order === order + 1)
      );
    case 'ArrowUp':
      return (
        placed.findLast((one) => one.level === level && one.y < y) ??
        placed.find((one) => one.order === order - 1)
      );
  }
}
