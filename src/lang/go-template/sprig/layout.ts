/** The pieces of a Go layout. Everything that is no piece stands for itself. */
export type LayoutPiece = { readonly kind: PieceKind; readonly text: string };

const kinds = [
  ['longMonth', 'January'],
  ['month', 'Jan'],
  ['zoneName', 'MST'],
  ['longWeekday', 'Monday'],
  ['weekday', 'Mon'],
  ['PM', 'PM'],
  ['pm', 'pm'],
  ['Z070000', 'Z070000'],
  ['Z07:00:00', 'Z07:00:00'],
  ['Z0700', 'Z0700'],
  ['Z07:00', 'Z07:00'],
  ['Z07', 'Z07'],
  ['-070000', '-070000'],
  ['-07:00:00', '-07:00:00'],
  ['-0700', '-0700'],
  ['-07:00', '-07:00'],
  ['-07', '-07'],
  ['zeroYearDay', '002'],
  ['zeroMonth', '01'],
  ['zeroDay', '02'],
  ['zeroHour12', '03'],
  ['zeroMinute', '04'],
  ['zeroSecond', '05'],
  ['year2', '06'],
  ['hour', '15'],
  ['longYear', '2006'],
  ['underYearDay', '__2'],
  ['underDay', '_2'],
  ['monthNumber', '1'],
  ['day', '2'],
  ['hour12', '3'],
  ['minute', '4'],
  ['second', '5'],
] as const;

type PieceKind = (typeof kinds)[number][0] | 'literal' | 'fraction0' | 'fraction9';

/** Cuts a layout as Go does: the first piece that stands at a position wins. */
export function piecesOf(layout: string): LayoutPiece[] {
  const pieces: LayoutPiece[] = [];
  let literal = '';
  let at = 0;
  while (at < layout.length) {
    const piece = pieceAt(layout, at);
    if (piece) {
      if (literal) pieces.push({ kind: 'literal', text: literal });
      literal = '';
      pieces.push(piece);
      at += piece.text.length;
    } else {
      literal += layout[at];
      at += 1;
    }
  }
  if (literal) pieces.push({ kind: 'literal', text: literal });
  return pieces;
}

function pieceAt(layout: string, at: number): LayoutPiece | undefined {
  const fraction = /^[.,](0+|9+)(?![0-9])/.exec(layout.slice(at, at + 40));
  if (fraction) return { kind: fraction[0].includes('9') ? 'fraction9' : 'fraction0', text: fraction[0] };
  // compat: `_2006` is an underscore and a year
  if (layout.startsWith('_2006', at)) return undefined;
  const found = kinds.find(([, text]) => layout.startsWith(text, at));
  if (!found) return undefined;
  const [kind, text] = found;
  // compat: `Jan` begins no longer word but January, as in Janet
  if (kind === 'month' && /[a-z]/.test(layout[at + 3] ?? '')) return undefined;
  if (kind === 'weekday' && /[a-z]/.test(layout[at + 3] ?? '')) return undefined;
  return { kind, text };
}
