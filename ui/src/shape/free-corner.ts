import { type Layout, withinBand } from './tree-layout.ts';

type View = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
/** What is to be put into a corner, in pixels of the screen, and the scale of the picture. */
type Piece = { readonly width: number; readonly height: number; readonly zoom: number };

const edge = 16; // between the piece and the end of the view
const [boxHeight, margin] = [52, 8];

/** The lower corner of the view in which no box of the picture stands; undefined: both have some. */
export function freeCorner<T>(layout: Layout<T>, view: View, piece: Piece): 'right' | 'left' | undefined {
  const [width, height] = [piece.width / piece.zoom + margin, piece.height / piece.zoom + margin];
  const top = view.top + view.height - edge / piece.zoom - height;
  const { placed } = withinBand(layout, top - boxHeight, top + height);
  const isFree = (from: number): boolean =>
    placed.every((box) => box.x + box.width < from || box.x > from + width);
  if (isFree(view.left + view.width - width)) return 'right';
  return isFree(view.left) ? 'left' : undefined;
}
