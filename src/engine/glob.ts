import { Lru } from '#std';

/**
 * Globs as projects and ignore rules write them: `*` stops at a separator, `**` does not, `?`, `[a-z]`, `[!a-z]`,
 * `{a,b}` and `\` to escape. Matching walks the text once with the set of places the pattern may stand at, so no
 * pattern of a user's can make it slow.
 */
type Token =
  | { readonly kind: 'text'; readonly char: string }
  | { readonly kind: 'one' } // any one character but a separator
  | { readonly kind: 'run' } // any number of characters but separators
  | { readonly kind: 'all' } // any number of any characters
  | { readonly kind: 'class'; readonly has: (char: string) => boolean };

type Compiled = readonly (readonly Token[])[];
type Dialect = 'glob' | 'path';

const compiled = new Lru<Compiled>({ capacity: 2000 });
// braces multiply; nobody writes this many by hand
const maxBranches = 1000;

/** compat P-5 (a). The pattern `*` alone matches everything, separators or not. */
export function glob(pattern: string, text: string, separators = ''): boolean {
  if (pattern === '*') return true;
  if (pattern === text) return true;
  return matchesAny(compile(pattern, 'glob'), text, separators);
}

/** compat P-5 (b): shell-style, `*` does not cross `/`, no braces, `[^…]` negates. */
export function pathMatch(pattern: string, text: string): boolean {
  if (pattern === text) return true;
  return matchesAny(compile(pattern, 'path'), text, '/');
}

function compile(pattern: string, dialect: Dialect): Compiled {
  const id = `${dialect}:${pattern}`;
  const known = compiled.get(id);
  if (known) return known;
  const branches = dialect === 'glob' ? expand(pattern) : [pattern];
  const tokens = branches.map((branch) => tokenize(branch, dialect));
  compiled.set(id, tokens);
  return tokens;
}

/** `a{b,c}d` is `abd` or `acd`. A brace that is never closed stands for itself. */
function expand(pattern: string): string[] {
  const open = findBare(pattern, '{', 0);
  const close = open < 0 ? -1 : closing(pattern, open);
  if (close < 0) return [pattern];
  const head = pattern.slice(0, open);
  const tails = expand(pattern.slice(close + 1));
  const options = splitBare(pattern.slice(open + 1, close)).flatMap(expand);
  const all = options.flatMap((option) => tails.map((tail) => head + option + tail));
  return all.slice(0, maxBranches);
}

function findBare(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === wanted) return at;
  }
  return -1;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

function splitBare(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function tokenize(pattern: string, dialect: Dialect): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const { token, next } = tokenAt(pattern, at, dialect);
    tokens.push(token);
    at = next;
  }
  return tokens;
}

function tokenAt(pattern: string, at: number, dialect: Dialect): { token: Token; next: number } {
  const char = pattern.charAt(at);
  if (char === '\\' && at + 1 < pattern.length) {
    return { token: { kind: 'text', char: pattern.charAt(at + 1) }, next: at + 2 };
  }
  if (char === '?') return { token: { kind: 'one' }, next: at + 1 };
  if (char === '*' && dialect === 'glob' && pattern[at + 1] === '*') {
    return { token: { kind: 'all' }, next: at + 2 };
  }
  if (char === '*') return { token: { kind: 'run' }, next: at + 1 };
  const end = char === '[' ? findBare(pattern, ']', at + 2) : -1;
  if (end >= 0) return { token: classOf(pattern.slice(at + 1, end), dialect), next: end + 1 };
  return { token: { kind: 'text', char }, next: at + 1 };
}

function classOf(body: string, dialect: Dialect): Token {
  const negated = body.startsWith(dialect === 'glob' ? '!' : '^');
  const ranges: [string, string][] = [];
  const chars = negated ? body.slice(1) : body;
  for (let at = 0; at < chars.length; at++) {
    if (chars[at] === '\\') at++;
    const from = chars.charAt(at);
    const isRange = chars[at + 1] === '-' && at + 2 < chars.length;
    ranges.push([from, isRange ? chars.charAt(at + 2) : from]);
    if (isRange) at += 2;
  }
  return {
    kind: 'class',
    has: (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated,
  };
}

function matchesAny(patterns: Compiled, text: string, separators: string): boolean {
  return patterns.some((tokens) => matches(tokens, text, separators));
}

function matches(tokens: readonly Token[], text: string, separators: string): boolean {
  let places = new Set<number>();
  enter(tokens, places, 0);
  for (let at = 0; at < text.length && places.size > 0; at++) {
    places = advance(tokens, places, text.charAt(at), separators);
  }
  return places.has(tokens.length);
}

function advance(
  tokens: readonly Token[],
  places: Set<number>,
  char: string,
  separators: string,
): Set<number> {
  const next = new Set<number>();
  for (const place of places) {
    const token = tokens[place];
    if (!token || !takes(token, char, separators)) continue;
    enter(tokens, next, token.kind === 'run' || token.kind === 'all' ? place : place + 1);
  }
  return next;
}

/** Being before a star is also being behind it: a star may stand for nothing. */
function enter(tokens: readonly Token[], places: Set<number>, at: number): void {
  for (let place = at; ; place++) {
    places.add(place);
    const kind = tokens[place]?.kind;
    if (kind !== 'run' && kind !== 'all') return;
  }
}

function takes(token: Token, char: string, separators: string): boolean {
  switch (token.kind) {
    case 'text':
      return token.char === char;
    case 'class':
      return token.has(char);
    case 'all':
      return true;
    default:
      return !separators.includes(char);
  }
}
