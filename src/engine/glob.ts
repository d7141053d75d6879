import { compileGlob, compilePathPattern, type Glob, Lru } from '#std';

const compiled = new Lru<Glob>({ capacity: 2000 });

/** compat P-5 (a). The pattern `*` alone matches everything, separators or not; a broken one only itself. */
export function glob(pattern: string, text: string, separators = ''): boolean {
  if (pattern === '*' || pattern === text) return true;
  return remembered(`${separators}\n${pattern}`, () => compileGlob(pattern, separators))(text);
}

/** compat P-5 (b): shell-style, `*` does not cross `/`, no braces, `[^…]` negates. */
export function pathMatch(pattern: string, text: string): boolean {
  if (pattern === text) return true;
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
