/**
 * The order in which go-yaml prints keys, and so kubectl and Helm: letters by code point, digits before letters,
 * numbers by value (`B`, `a2`, `a10`).
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return ascii.test(a) && ascii.test(b) ? compareRunes(a, b) : compareRunes([...a], [...b]);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the point
const ascii = /^[\x00-\x7f]*$/;
const letter = /\p{L}/u;
const isDigit = (rune: string | undefined): boolean => rune !== undefined && rune >= '0' && rune <= '9';

const codePoint = (rune: string | undefined): number => rune?.codePointAt(0) ?? 0;

function compareRunes(a: ArrayLike<string>, b: ArrayLike<string>): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  if (at === length) return a.length - b.length;
  const isLetterA = letter.test(a[at] ?? '');
  const isLetterB = letter.test(b[at] ?? '');
  if (isLetterA !== isLetterB) return isLetterA ? 1 : -1;
  return isLetterA ? codePoint(a[at]) - codePoint(b[at]) : compareNumbers(a, b, at);
}

function compareNumbers(a: ArrayLike<string>, b: ArrayLike<string>, at: number): number {
  // a zero behind other digits is part of their number, so `10` stands behind `1a`
  const lead = (a[at] === '0' || b[at] === '0') && followsNumber(a, at) ? 1 : 0;
  const first = numberAt(a, at, lead);
  const second = numberAt(b, at, lead);
  return first.value - second.value || first.end - second.end || codePoint(a[at]) - codePoint(b[at]);
}

function followsNumber(runes: ArrayLike<string>, at: number): boolean {
  for (let before = at - 1; isDigit(runes[before]); before--) if (runes[before] !== '0') return true;
  return false;
}

function numberAt(runes: ArrayLike<string>, at: number, lead: number): { value: number; end: number } {
  let value = lead;
  let end = at;
  for (; isDigit(runes[end]); end++) value = value * 10 + Number(runes[end]);
  return { value, end };
}
