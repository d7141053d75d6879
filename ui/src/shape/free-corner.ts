import { type Layout, placedWithin } from './tree-layout.ts';

type View = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
/** What is to be put into a corner, in pixels of the screen, and the scale of the picture. */
type Piece = { readonly width: number; readonly height: number; readonly zoom: number };

const edge = 16; // between the piece and the end of the view
const [boxHeight, margin] = [52, 8];

/** The lower corner of the view in which no box of the picture stands; undefined: both have some. */
export function freeCorner<T>(layout: Layout<T>, view: View, piece: Piece): 'right' | 'left' | undefined {
  const [width, height] = [piece.width / piece.zoom + margin, piece.height / piece.zoom + margin];
  const top = view.top + view.height - edge / piece.zoom - height;
  const placed = placedWithin(layout, top - boxHeight, top + height);
  const isFree = (from: number): boolean =>
    placed.every((box) => box.x + box.width < from || box.x > from + width);
  if (isFree(view.left + view.width - width)) return 'right';
  return isFree(view.left) ? 'left' : undefined;
}

/** Nothing of the picture is outside of the view: where it begins below the top of the page, its end may be below the fold. */
export function showsAll({ width, height }: { width: number; height: number }, view: View): boolean {
  const [right, bottom] = [view.left + view.width, view.top + view.height];
  return view.left <= slack && view.top <= slack && right >= width - slack && bottom >= height - slack;
}

const slack = 1; // a zoomed picture ends between two pixels
