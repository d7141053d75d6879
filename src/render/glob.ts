/**
 * Patterns as users of Argo CD write them, matched without backtracking: the time is the length of the pattern
 * times that of the text, whatever either holds.
 */
export type Glob = (text: string) => boolean;

type Node =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  | { readonly kind: 'choice'; readonly of: readonly (readonly Node[])[] };

/**
 * compat DIR-4: gobwas glob with no separator, so `*` crosses `/`. Undefined when the pattern does not compile.
 */
export function compileGlob(pattern: string): Glob | undefined {
  const nodes = new Parser(pattern).parse();
  return nodes && ((text) => matches(nodes, [...text]));
}

/** Thrown inside the parser alone. */
class Uncompilable extends Error {}

class Parser {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#chars = [...pattern];
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
    switch (char) {
      case '*':
        return { kind: 'any' };
      case '?':
        return { kind: 'one' };
      case '[':
        return this.#set();
      case '{':
        return this.#choice(depth + 1);
      case '\\': {
        const escaped = this.#next();
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
    const negated = this.#chars[this.#at] === '!';
    if (negated) this.#at += 1;
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
      const char = this.#next();
      if (char === undefined) throw new Uncompilable();
      if (char === ']') break;
      chars.add(char === '\\' ? (this.#next() ?? '') : char);
    }
    if (chars.size === 0) throw new Uncompilable();
    return (char) => chars.has(char);
  }

  #next(): string | undefined {
    const char = this.#chars[this.#at];
    this.#at += 1;
    return char;
  }
}

function matches(nodes: readonly Node[], text: readonly string[]): boolean {
  return reach(nodes, text, new Set([0])).has(text.length);
}

/** Every place in the text that the nodes can end at when they begin at one of these places. */
function reach(
  nodes: readonly Node[],
  text: readonly string[],
  from: ReadonlySet<number>,
): ReadonlySet<number> {
  let places = from;
  for (const node of nodes) {
    if (places.size === 0) break;
    places = step(node, text, places);
  }
  return places;
}

function step(node: Node, text: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  if (node.kind === 'any') return allFrom(Math.min(...places), text.length);
  const next = new Set<number>();
  if (node.kind === 'choice') {
    for (const nodes of node.of) for (const place of reach(nodes, text, places)) next.add(place);
    return next;
  }
  for (const place of places) {
    const char = text[place];
    if (char !== undefined && accepts(node, char)) next.add(place + 1);
  }
  return next;
}

function accepts(node: Node & { kind: 'char' | 'one' | 'set' }, char: string): boolean {
  if (node.kind === 'one') return true;
  return node.kind === 'char' ? node.char === char : node.has(char);
}

function allFrom(first: number, last: number): ReadonlySet<number> {
  const places = new Set<number>();
  for (let at = first; at <= last; at++) places.add(at);
  return places;
}
