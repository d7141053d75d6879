/**
 * Strings of the language are made of code points, those of JavaScript of UTF-16 units. As long as a string
 * has no surrogates the two agree, which is nearly always; the last one that did not is kept split, because
 * programs tend to read one character after another.
 */
const surrogate = /[\ud800-\udfff]/;
let lastText = '';
let lastPoints: readonly string[] | undefined;

/** The code points of a text that has surrogates; undefined for one that is its own list of characters. */
function cut(text: string): readonly string[] | undefined {
  if (text === lastText) return lastPoints;
  lastText = text;
  lastPoints = surrogate.test(text) ? [...text] : undefined;
  return lastPoints;
}

export const lengthOf = (text: string): number => (cut(text) ?? text).length;

/** The character at an index; undefined outside of the text. */
export const charAt = (text: string, index: number): string | undefined => (cut(text) ?? text)[index];

export const charsOf = (text: string): readonly string[] => cut(text) ?? text.split('');

export function sliceOf(text: string, from: number, to: number): string {
  const points = cut(text);
  return points ? points.slice(from, to).join('') : text.slice(from, to);
}

/** Orders by code points: below, equal or above zero. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === length) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  // surrogates stand for points above every other unit
  return x >= 0xd800 && y >= 0xd800 ? rank(x) - rank(y) || x - y : x - y;
}

const rank = (unit: number): number => (unit <= 0xdfff ? 1 : 0);
