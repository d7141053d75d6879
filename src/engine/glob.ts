import { compileGlob, compilePathPattern, type Glob, Lru } from '#base/std';

const compiled = new Lru<Glob>({ capacity: 2000 });
const special = /[*?[{\\]/;

/** compat engine P-5 (a). The pattern `*` alone matches everything, separators or not; an unreadable one matches nothing. */
export function glob(pattern: string, text: string, separators = ''): boolean {
  if (pattern === '*') return true;
  if (!special.test(pattern)) return pattern === text;
  return cached(`${separators}\n${pattern}`, () => matcherOf(pattern, separators))(text);
}

/**
 * As `glob`, for patterns that deny: a brace that is never closed ends with the pattern, so that a typing mistake in a
 * denial denies what its author most likely meant. Only a pattern that no reading makes sense of matches nothing.
 */
export function denialGlob(pattern: string, text: string, separators = ''): boolean {
  if (pattern === '*') return true;
  if (!special.test(pattern)) return pattern === text;
  return cached(`deny\n${separators}\n${pattern}`, () => lenientMatcherOf(pattern, separators))(text);
}

/** compat engine P-5 (b): shell-style, `*` does not cross `/`, no braces, `[^…]` negates. A broken pattern matches nothing. */
export function pathMatch(pattern: string, text: string): boolean {
  if (!special.test(pattern)) return pattern === text;
  return cached(`path\n${pattern}`, () => compilePathPattern(pattern))(text);
}

function cached(id: string, compile: () => Glob | undefined): Glob {
  const known = compiled.get(id);
  if (known) return known;
  const made = compile() ?? never;
  compiled.set(id, made);
  return made;
}

const never: Glob = () => false;

/**
 * A project glob as a function; undefined: it cannot be read. dev engine P-5: gobwas accepts a brace that is never
 * closed and then matches by the accidents of its optimizer (`*{` matches nothing, `{a,b` its own text, `?{`
 * panics); the same holds for `{}`. Here such patterns are unreadable, so that they never permit more than
 * there (decision 0035).
 */
export function matcherOf(pattern: string, separators = ''): Glob | undefined {
  return hasBrokenBraces(pattern) ? undefined : lenientMatcherOf(pattern, separators);
}

/** As `matcherOf`, with unclosed braces closed at the end. Patterns made of stars alone are matched by searching. */
export function lenientMatcherOf(pattern: string, separators = ''): Glob | undefined {
  if (separators !== '' || /[?[{\\]/.test(pattern)) return compileGlob(pattern, separators);
  return starMatcher(pattern.split(/\*+/));
}

/**
 * compat engine P-5: without separators any number of stars is one. Each part is taken where it first occurs, so nothing is
 * tried twice. dev engine P-5: the two ends may not share letters; in the peer's library `a*a` matches `a`.
 */
function starMatcher(parts: readonly string[]): Glob {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  const shortest = first.length + last.length;
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at + last.length <= text.length;
  };
}

/** Whether a `{` is never closed or holds nothing. */
function hasBrokenBraces(pattern: string): boolean {
  let depth = 0;
  for (const at of plainPositions(pattern)) {
    if (pattern.startsWith('{}', at)) return true;
    if (pattern[at] === '{') depth += 1;
    else if (pattern[at] === '}' && depth > 0) depth -= 1;
  }
  return depth > 0;
}

/** The positions of characters that neither a backslash nor a range hides. */
function* plainPositions(pattern: string): Generator<number> {
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === '[') at = endOfRange(pattern, at);
    else yield at;
  }
}

/** Where the range that opens at `from` closes; the end of the pattern when it never does. */
function endOfRange(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '!') at += 1;
  // the two ends of `[x-y]` are themselves whatever they are
  if (pattern[at + 1] === '-') return at + 3;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at += 1;
  return at;
}
