/**
 * Patterns as people write them, matched without backtracking: the time is the length of the pattern times that of
 * the text, whatever either holds.
 */
export type Glob = (text: string) => boolean;

/**
 * glob: `*` and `?` stop at separators, `**` does not; `[abc]` or `[a-z]`, negated by `!`; `{a,b}`, which nests.
 * path: as a shell names files: `/` is the separator, `[^a-cx]` mixes, braces are letters.
 */
type Dialect = 'glob' | 'path';

type Node =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' } // any one character but a separator
  | { readonly kind: 'run' } // any number of characters but separators
  | { readonly kind: 'all' } // any number of any characters
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  | { readonly kind: 'choice'; readonly of: readonly (readonly Node[])[] };

const special = /[*?[{\\]/;

/** compat sources DIR-4, engine P-5: as gobwas reads it; without separators `*` crosses everything. Undefined: it does not compile. */
export const compileGlob = (pattern: string, separators = ''): Glob | undefined =>
  compile(pattern, 'glob', separators);

/** compat engine P-5: a shell pattern over one path, as Go's path.Match reads it. Undefined: it does not compile. */
export const compilePathPattern = (pattern: string): Glob | undefined => compile(pattern, 'path', '/');

function compile(pattern: string, dialect: Dialect, separators: string): Glob | undefined {
  if (!special.test(pattern)) return (text) => text === pattern;
  const nodes = new Parser(pattern, dialect).parse();
  return nodes && ((text) => matches(nodes, [...text], separators));
}

/** Thrown inside the parser alone. */
class Uncompilable extends Error {}

class Parser {
  readonly #chars: readonly string[];
  readonly #dialect: Dialect;
  #at = 0;

  constructor(pattern: string, dialect: Dialect) {
    this.#chars = [...pattern];
    this.#dialect = dialect;
  }

  parse(): readonly Node[] | undefined {
    try {
      return this.#sequence(0);
    } catch (error) {
      if (error instanceof Uncompilable) return undefined;
      throw error;
    }
  }

  #sequence(depth: number): Node[] {
    const nodes: Node[] = [];
    while (this.#at < this.#chars.length) {
      const char = this.#chars[this.#at];
      if (depth > 0 && (char === ',' || char === '}')) break;
      this.#at += 1;
      const node = this.#node(char ?? '', depth);
      if (node) nodes.push(node);
    }
    return nodes;
  }

  #node(char: string, depth: number): Node | undefined {
    const isGlob = this.#dialect === 'glob';
    switch (char) {
      case '*':
        return { kind: isGlob && this.#skip('*') ? 'all' : 'run' };
      case '?':
        return { kind: 'one' };
      case '[':
        return isGlob ? this.#set() : this.#mixedSet();
      case '{':
        return isGlob ? this.#choice(depth + 1) : { kind: 'char', char };
      case '\\': {
        const escaped = isGlob ? this.#next() : this.#must();
        return escaped === undefined ? undefined : { kind: 'char', char: escaped };
      }
      default:
        return { kind: 'char', char };
    }
  }

  /** compat: a set never closed by `}` ends with the pattern. */
  #choice(depth: number): Node {
    if (depth > 50) throw new Uncompilable();
    const of = [this.#sequence(depth)];
    while (this.#next() === ',') of.push(this.#sequence(depth));
    return { kind: 'choice', of };
  }

  /** compat: either one range `[a-z]` or plain characters `[abc]`, never both. */
  #set(): Node {
    const negated = this.#skip('!');
    const test = this.#chars[this.#at + 1] === '-' ? this.#range() : this.#characters();
    return { kind: 'set', has: (char) => test(char) !== negated };
  }

  #range(): (char: string) => boolean {
    const low = this.#next() ?? '';
    this.#at += 1;
    const high = this.#next() ?? '';
    if (this.#next() !== ']' || high < low) throw new Uncompilable();
    return (char) => char >= low && char <= high;
  }

  #characters(): (char: string) => boolean {
    const chars = new Set<string>();
    for (;;) {
      const char = this.#must();
      if (char === ']') break;
      chars.add(char === '\\' ? (this.#next() ?? '') : char);
    }
    if (chars.size === 0) throw new Uncompilable();
    return (char) => chars.has(char);
  }

  #mixedSet(): Node {
    const negated = this.#skip('^');
    const ranges: (readonly [low: string, high: string])[] = [];
    while (ranges.length === 0 || !this.#skip(']')) {
      const low = this.#letter();
      ranges.push([low, this.#skip('-') ? this.#letter() : low]);
    }
    return {
      kind: 'set',
      has: (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated,
    };
  }

  #letter(): string {
    const char = this.#must();
    if (char === '-' || char === ']') throw new Uncompilable();
    return char === '\\' ? this.#must() : char;
  }

  #must(): string {
    const char = this.#next();
    if (char === undefined) throw new Uncompilable();
    return char;
  }

  #next(): string | undefined {
    const char = this.#chars[this.#at];
    this.#at += 1;
    return char;
  }

  #skip(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }
}

type Places = ReadonlySet<number>;

function matches(nodes: readonly Node[], text: readonly string[], separators: string): boolean {
  return reach(nodes, text, separators, new Set([0])).has(text.length);
}

/** Every position in the text where the nodes can end when they begin at one of these positions. */
function reach(nodes: readonly Node[], text: readonly string[], separators: string, from: Places): Places {
  let places = from;
  for (const node of nodes) {
    if (places.size === 0) break;
    places = step(node, text, separators, places);
  }
  return places;
}

function step(node: Node, text: readonly string[], separators: string, places: Places): Places {
  const next = new Set<number>();
  if (node.kind === 'choice') {
    for (const nodes of node.of) for (const at of reach(nodes, text, separators, places)) next.add(at);
    return next;
  }
  const takes = (at: number): boolean => accepts(node, text[at], separators);
  if (node.kind === 'run' || node.kind === 'all') return stretch(places, takes);
  for (const at of places) if (takes(at)) next.add(at + 1);
  return next;
}

function stretch(places: Places, takes: (at: number) => boolean): Places {
  const next = new Set<number>();
  for (const place of places) {
    let at = place;
    // a position that was reached before has been extended before
    while (!next.has(at)) {
      next.add(at);
      if (takes(at)) at += 1;
    }
  }
  return next;
}

type One = Exclude<Node, { kind: 'choice' }>;

function accepts(node: One, char: string | undefined, separators: string): boolean {
  if (char === undefined) return false;
  switch (node.kind) {
    case 'char':
      return node.char === char;
    case 'set':
      return node.has(char);
    case 'all':
      return true;
    default:
      return !separators.includes(char);
  }
}
