const beyondBasic = /[\ud800-\udfff]/;

/** compat gojq: positions in text count code points. */
export function lengthOf(text: string): number {
  if (!beyondBasic.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The code points of a text, one string each. */
export const charactersOf = (text: string): string[] => Array.from(text);

/** Text from one code point to another; both are within the text. */
export function sliceText(text: string, from: number, to: number): string {
  if (!beyondBasic.test(text)) return text.slice(from, to);
  return charactersOf(text).slice(from, to).join('');
}

export function explode(text: string): number[] {
  return charactersOf(text).map((character) => codeOf(character));
}

function codeOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

export function implode(codes: readonly number[]): string {
  let text = '';
  for (const code of codes) {
    const valid = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    text += String.fromCodePoint(valid ? code : 0xfffd);
  }
  return text;
}

/** Converts UTF-16 offsets into code point offsets; calls in growing order cost one walk of the text. */
export function codePointOffsets(text: string): (offset: number) => number {
  if (!beyondBasic.test(text)) return (offset) => offset;
  let units = 0;
  let points = 0;
  return (offset) => {
    if (offset < units) {
      units = 0;
      points = 0;
    }
    while (units < offset) {
      units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
      points += 1;
    }
    return points;
  };
}
