/** One piece of a replacement: literal text, or a group by number or name. */
export type Piece = string | { readonly group: number | string };

const reference = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/uy;

/**
 * Splits a replacement as Go's Expand does: the longest word after `$` is a name, a word of digits only is a number,
 * and a `$` that begins nothing stands for itself.
 */
export function parseTemplate(template: string): Piece[] {
  if (!template.includes('$')) return [template];
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = template.indexOf('$'); at >= 0; at = template.indexOf('$', from)) {
    pieces.push(template.slice(from, at));
    const piece = pieceAt(template, at);
    if (piece === undefined) {
      pieces.push('$');
      from = at + 1;
      continue;
    }
    pieces.push(piece.value);
    from = at + piece.length;
  }
  pieces.push(template.slice(from));
  return pieces.filter((piece) => piece !== '');
}

function pieceAt(template: string, at: number): { value: Piece; length: number } | undefined {
  reference.lastIndex = at;
  const found = reference.exec(template);
  if (!found) return undefined;
  const name = found[1] ?? found[2];
  if (name === undefined) return { value: '$', length: 2 };
  return { value: { group: groupOf(name) }, length: found[0].length };
}

/** compat: Go reads up to nine digits without leading zeros as an index; anything else, `1x` included, is a name. */
const groupOf = (name: string): number | string => (/^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : name);
