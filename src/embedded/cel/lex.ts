import type { Issue } from './source.ts';

export type CelToken = {
  readonly is: 'op' | 'ident' | 'quoted-ident' | 'number' | 'string' | 'end';
  readonly text: string;
  readonly at: number;
};

const skip = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const string =
  /(?:[bB]?[rR]|[rR][bB])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|[bB]?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[^\n\r]|[^"\\\n\r])*"|'(?:\\[^\n\r]|[^'\\\n\r])*')/y;
const number =
  /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?)/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdent = /`[A-Za-z0-9_.\-/ ]+`/y;
const op = /&&|\|\||[=!<>]=|[<>!\-+*/%?:.,()[\]{}]/y;

const kinds = [
  ['string', string],
  ['number', number],
  ['ident', ident],
  ['quoted-ident', quotedIdent],
  ['op', op],
] as const;

/** Splits a text into tokens; the last one is the end. Characters that start no token are reported and left out. */
export function lex(source: string, issues: Issue[]): CelToken[] {
  const tokens: CelToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += match(skip)?.length ?? 0;
    if (at >= source.length) break;
    const found = firstMatch(match);
    if (found) tokens.push({ ...found, at });
    const text = found?.text ?? unrecognised(source, at);
    if (!found) issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
    at += text.length;
  }
  tokens.push({ is: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

function firstMatch(match: (pattern: RegExp) => string | undefined): Omit<CelToken, 'at'> | undefined {
  for (const [is, pattern] of kinds) {
    const text = match(pattern);
    if (text !== undefined) return { is, text };
  }
  return undefined;
}

/** An unfinished string is invalid up to the end of its line. */
function unrecognised(source: string, at: number): string {
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const isQuote = char === '"' || char === "'";
  return isQuote ? (source.slice(at).split('\n', 1)[0] ?? char) : char;
}
