import { compileGlob, compilePathPattern, type Glob, Lru } from '#std';

const compiled = new Lru<Glob>({ capacity: 2000 });
const special = /[*?[{\\]/;

/** compat P-5 (a). The pattern `*` alone matches everything, separators or not; a broken one nothing. */
export function glob(pattern: string, text: string, separators = ''): boolean {
  if (pattern === '*') return true;
  if (!special.test(pattern)) return pattern === text;
  return remembered(`${separators}\n${pattern}`, () => matcherOf(pattern, separators))(text);
}

/** compat P-5 (b): shell-style, `*` does not cross `/`, no braces, `[^…]` negates. A broken pattern matches nothing. */
export function pathMatch(pattern: string, text: string): boolean {
  if (!special.test(pattern)) return pattern === text;
  return remembered(`path\n${pattern}`, () => compilePathPattern(pattern))(text);
}

function remembered(id: string, compile: () => Glob | undefined): Glob {
  const known = compiled.get(id);
  if (known) return known;
  const made = compile() ?? never;
  compiled.set(id, made);
  return made;
}

const never: Glob = () => false;

/** A project glob as a function; undefined: it does not compile. Those made of stars alone are matched by searching. */
export function matcherOf(pattern: string, separators = ''): Glob | undefined {
  if (separators !== '' || /[?[{\\]/.test(pattern)) return compileGlob(pattern, separators);
  return starMatcher(pattern.split(/\*+/));
}

/**
 * compat P-5: without separators any number of stars is one. Each part is taken where it first occurs, so nothing is
 * tried twice. dev P-5: the two ends may not share letters; in the peer's library `a*a` matches `a`.
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
