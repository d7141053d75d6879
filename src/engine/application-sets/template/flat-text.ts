import { FairleadError } from '#base/std';
import type { SetParameters } from '../parameters/set-parameters.ts';

/** A text with its tags found once; it renders any number of parameter sets. */
export type CompiledText = (set: SetParameters) => string;

/** A tag: the text between the braces, and as it was written. */
type FlatTag = { readonly name: string; readonly written: string };

/** compat sources AST-1: only a text with both braces on one line, in this order, is a template. */
const isTemplate = (text: string): boolean => /\{\{.*\}\}/.test(text);

/** The text in pieces: literals and tags. Throws RenderFailed for a tag without an end. */
function flatPieces(text: string): readonly (string | FlatTag)[] {
  if (!isTemplate(text)) return [text];
  const pieces: (string | FlatTag)[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open < 0) break;
    const close = text.indexOf('}}', open + 2);
    if (close < 0) {
      const line = text.slice(0, open).split('\n').length;
      throw new FairleadError('RenderFailed', `cannot find end tag "}}" for the "{{" in line ${line}`);
    }
    pieces.push(text.slice(at, open), {
      name: text.slice(open + 2, close).trim(),
      written: text.slice(open, close + 2),
    });
    at = close + 2;
  }
  pieces.push(text.slice(at));
  return pieces.filter((piece) => piece !== '');
}

/** compat sources AST-1, AST-2: known strings are substituted, everything else stays as it is written; undefined: no tags. */
export function compileFlat(text: string): CompiledText | undefined {
  const pieces = flatPieces(text);
  if (pieces.every((piece) => typeof piece === 'string')) return undefined;
  return (set) => {
    let rendered = '';
    for (const piece of pieces) rendered += typeof piece === 'string' ? piece : substituted(piece, set);
    return rendered;
  };
}

function substituted({ name, written }: FlatTag, set: SetParameters): string {
  const value = name !== '' && Object.hasOwn(set, name) ? set[name] : undefined;
  return typeof value === 'string' ? value : written;
}

/** The names in the tags of a text; none where it cannot be read, which is reported elsewhere. */
export function flatTags(text: string): string[] {
  try {
    return flatPieces(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
  } catch {
    return [];
  }
}
