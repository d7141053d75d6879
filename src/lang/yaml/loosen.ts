/**
 * js-yaml holds texts to the letter of YAML 1.2 where go-yaml never looked: every line of a flow collection or a
 * quoted scalar must be indented deeper than the block around it, a comment needs a space before it, and a tab may
 * not stand in an unindented flow line. Real files are full of
 *
 *     args: [
 *       "--verbose"
 *     ]
 *
 * None of that white space carries meaning, so this pass may add to it: the result means what go-yaml would have
 * read. It runs only after js-yaml has complained, and leaves alone whatever it does not understand; js-yaml then
 * complains again, with the position. Lines keep their numbers.
 */
export function loosen(text: string): string {
  return new Loosener(text).run();
}

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t';
const isBreak = (char: string | undefined): boolean => char === '\n' || char === '\r';
const isBlank = (char: string | undefined): boolean => char === undefined || isSpace(char) || isBreak(char);
const isQuote = (char: string): boolean => char === '"' || char === "'";
const isFlowMark = (char: string): boolean => ',[]{}'.includes(char);

/** Where in a flow collection we are: before a node, inside a plain scalar, or behind a node. */
type Spot = 'before' | 'plain' | 'behind';

class Loosener {
  readonly #text: string;
  readonly #out: string[] = [];
  #copied = 0;
  #at = 0;
  #lineStart = 0;
  /** Column of the innermost key or dash on this line; -1 while there is none. */
  #parent = -1;
  #followsMarker = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    while (this.#at < this.#text.length) this.#line();
    this.#out.push(this.#text.slice(this.#copied));
    return this.#out.join('');
  }

  get #char(): string | undefined {
    return this.#text[this.#at];
  }
  get #column(): number {
    return this.#at - this.#lineStart;
  }

  /** One line that starts outside any flow collection, quoted or block scalar. */
  #line(): void {
    this.#lineStart = this.#at;
    this.#parent = -1;
    this.#followsMarker = this.#text.startsWith('---', this.#at) && isBlank(this.#text[this.#at + 3]);
    if (this.#followsMarker) this.#at += 3;
    let goesOn = true;
    while (goesOn) {
      this.#skipSpaces();
      goesOn = this.#char !== undefined && !isBreak(this.#char) && this.#token(this.#char);
    }
    this.#at = this.#lineEnd() + 1;
  }

  /** Steps over one token; false when the rest of the line has nothing of interest. */
  #token(char: string): boolean {
    const start = this.#column;
    if ('-?:'.includes(char) && isBlank(this.#text[this.#at + 1])) return this.#indicator(start);
    if (char === '&' || char === '!') return this.#word();
    if (char === '#') return false;
    if (char === '|' || char === '>') return this.#blockScalar(start);
    return '"\'[{'.includes(char) ? this.#flowNode(char, start) : this.#plain(start);
  }

  /** A dash, or the colon behind a key that started at this column. */
  #indicator(column: number): true {
    this.#parent = column;
    this.#at += 1;
    return true;
  }

  #flowNode(char: string, start: number): boolean {
    if (isQuote(char)) this.#quoted(char, this.#needed(start));
    else this.#collection(this.#needed(start));
    if (this.#char === '#') this.#insert(this.#at, ' ');
    this.#skipSpaces();
    return this.#endsKey(start);
  }

  /** Spaces that a line inside a node at column `start` must begin with. */
  #needed(start: number): number {
    if (this.#followsMarker && this.#parent < 0) return 0;
    return this.#parent < 0 ? start : this.#parent + 1;
  }

  #endsKey(start: number): boolean {
    return this.#char === ':' && isBlank(this.#text[this.#at + 1]) && this.#indicator(start);
  }

  /** An anchor or a tag. */
  #word(): true {
    while (!isBlank(this.#char)) this.#at += 1;
    return true;
  }

  #plain(start: number): boolean {
    for (; this.#char !== undefined && !isBreak(this.#char); this.#at += 1) {
      if (this.#endsKey(start)) return true;
      if (this.#char === '#' && isSpace(this.#text[this.#at - 1])) return false;
    }
    if (this.#parent >= 0) this.#skipDeeperLines(this.#parent);
    return false;
  }

  #blockScalar(start: number): false {
    do this.#at += 1;
    while ('+-0123456789'.includes(this.#char ?? ' '));
    if (this.#char === '#') this.#insert(this.#at, ' ');
    this.#skipDeeperLines(this.#parent < 0 && !this.#followsMarker ? start - 1 : this.#parent);
    return false;
  }

  /** Leaves the position at the end of the last line of a scalar whose parent is at this column. */
  #skipDeeperLines(column: number): void {
    for (let end = this.#lineEnd(); end < this.#text.length; end = this.#lineEnd()) {
      let first = end + 1;
      while (this.#text[first] === ' ') first += 1;
      if (!isBreak(this.#text[first]) && first - end - 1 <= column) break;
      this.#at = first;
    }
    this.#at = this.#lineEnd();
  }

  #quoted(mark: string, needed: number): void {
    for (this.#at += 1; this.#char !== undefined; this.#at += 1) {
      if (this.#char === '\n') this.#pad(needed);
      else if (this.#char === '\\' && mark === '"' && this.#text[this.#at + 1] !== '\n') this.#at += 1;
      else if (this.#char === mark) {
        if (mark === '"' || this.#text[this.#at + 1] !== mark) break;
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #collection(needed: number): void {
    let depth = 0;
    let spot: Spot = 'before';
    do {
      const char = this.#char;
      if (char === undefined) return;
      if (char === '[' || char === '{') depth += 1;
      else if (char === ']' || char === '}') depth -= 1;
      spot = this.#flowToken(char, spot, needed);
    } while (depth > 0);
  }

  /** Steps over white space, a comment, a quoted scalar or one other character; returns the new position. */
  #flowToken(char: string, spot: Spot, needed: number): Spot {
    if (isBlank(char)) return this.#flowBlank(char, spot, needed);
    const followsBlank = isBlank(this.#text[this.#at - 1]);
    if (char === '#' && (spot !== 'plain' || followsBlank)) {
      if (!followsBlank) this.#insert(this.#at, ' ');
      this.#at = this.#lineEnd();
      return spot;
    }
    return spot === 'before' ? this.#flowStart(char, needed) : this.#flowChar(char, spot);
  }

  #flowStart(char: string, needed: number): Spot {
    if (char === '&' || char === '!') return this.#word() && 'before';
    if (!isQuote(char)) return this.#flowChar(char, 'before');
    this.#quoted(char, needed);
    return 'behind';
  }

  #flowChar(char: string, spot: Spot): Spot {
    this.#at += 1;
    return this.#spotBehind(char, spot);
  }

  #spotBehind(char: string, spot: Spot): Spot {
    if (char === ']' || char === '}') return 'behind';
    if (isFlowMark(char)) return 'before';
    const next = this.#char;
    const isIndicator = (char === ':' && spot === 'behind') || isBlank(next) || isFlowMark(next ?? ' ');
    return (char === ':' || char === '?') && isIndicator ? 'before' : 'plain';
  }

  #flowBlank(char: string, spot: Spot, needed: number): Spot {
    if (char === '\n') this.#pad(needed);
    if (char === '\t' && spot !== 'plain') this.#replaceTab();
    this.#at += 1;
    return spot;
  }

  /** At a line break: makes the next line begin with enough spaces. */
  #pad(needed: number): void {
    let first = this.#at + 1;
    while (this.#text[first] === ' ') first += 1;
    const missing = needed - (first - this.#at - 1);
    if (missing > 0 && !isBreak(this.#text[first])) this.#insert(this.#at + 1, ' '.repeat(missing));
  }

  #insert(at: number, spaces: string): void {
    this.#out.push(this.#text.slice(this.#copied, at), spaces);
    this.#copied = at;
  }

  #replaceTab(): void {
    this.#insert(this.#at, ' ');
    this.#copied += 1;
  }

  #skipSpaces(): void {
    for (; isSpace(this.#char); this.#at += 1) {
      if (this.#char === '\t' && this.#parent >= 0) this.#replaceTab();
    }
  }
  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }
}
