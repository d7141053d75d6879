import { decline } from './decline.ts';

// where a flow collection may begin; also matches within a block of text, where the check is stricter than necessary
const opening = /(?:^|[:-][ \t]+|^[ \t]+)(?=[[{])/gm;

const space = /(?:[ \t\n]|(?<=[ \t\n])#[^\n]*)+/y;
const quoted = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'/y;
const mark = /[[\]{},]/y;
const colon = /:(?=[ \t\n,\]}])/y;
const word = '(?:[\\w./$+~=()<>;%@^&*|!-]|:(?=[\\w./@$-]))+';
const plain = new RegExp(`(?!-\\s)[\\w./$+~=(<^-]${word.replace(/\+$/, '*')}(?:[ \\t]+${word})*`, 'y');

/**
 * Declines flow collections that contain more than quoted texts and plain words: there YAML parsers disagree most,
 * about `?x`, `a:b` and `:x`, and printing does not reproduce everything that was read.
 */
export function checkFlows(text: string): void {
  if (!/[[{]/.test(text)) return;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const end = scan(text, found.index + found[0].length);
    opening.lastIndex = Math.max(end, opening.lastIndex + 1);
  }
}

/** The end of the collection that begins at an offset; that of the text if it is not closed. */
function scan(text: string, start: number): number {
  let at = start;
  let depth = 0;
  let last = '';
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [token = ''] = pattern.exec(text) ?? [];
    at += token.length;
    return token;
  };
  while (at < text.length) {
    if (take(space) !== '') continue;
    last = take(mark) || take(quoted) || takeColon(take, last) || takePlain(take, last);
    depth += steps[last] ?? 0;
    if (depth === 0) return at;
  }
  return at;
}

const steps: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

type Take = (pattern: RegExp) => string;

const isQuoted = (token: string): boolean => /^["']/.test(token);

/** After a quoted key a colon needs no space. */
const takeColon = (take: Take, last: string): string => take(isQuoted(last) ? /:/y : colon);

function takePlain(take: Take, last: string): string {
  const token = take(plain);
  const isAlone = last === ':' || /^[[{,]$/.test(last);
  return token !== '' && isAlone ? token : decline('odd things in brackets');
}
