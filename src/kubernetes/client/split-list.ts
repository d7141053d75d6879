/**
 * A list as an API server prints it, cut into the texts of its items, so that a page of megabytes is parsed item by item
 * with other work in between. Whether anything is JSON is left to the parser: every item and `rest` must be parsed, and
 * then the result is the one that parsing the whole text gives.
 */
export type SplitList = {
  /** The text without its items: `"items":[]`. */
  readonly rest: string;
  /**
   * The texts of the items, in order, found as they are read. Throws SyntaxError where no item can be
   * separated.
   */
  readonly items: Iterable<string>;
};

const code = (char: string): number => char.charCodeAt(0);
const [quote, backslash, comma, colon] = [code('"'), code('\\'), code(','), code(':')];
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')];

/**
 * Splits a list; undefined where the text is not an object with exactly one plain `items` array, or is broken
 * before it ends: the caller parses such a text whole. One walk over the text without recursion, whatever its
 * content.
 */
export function splitList(text: string): SplitList | undefined {
  const array = findItems(text);
  if (!array) return undefined;
  const { from, to } = array;
  return {
    rest: `${text.slice(0, from)}[]${text.slice(to)}`,
    items: { [Symbol.iterator]: () => itemsIn(text, from + 1, to - 1) },
  };
}

type Span = { readonly from: number; readonly to: number };

/** The position of the only member `items` of the outermost object. */
function findItems(text: string): Span | undefined {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== openBrace) return undefined;
  let found: Span | undefined;
  do {
    const member = memberAt(text, skipSpace(text, at + 1));
    if (!member) return undefined;
    if (member.key === '"items"') {
      if (found || !isArray(text, member)) return undefined;
      found = member;
    }
    at = skipSpace(text, member.to);
  } while (text.charCodeAt(at) === comma);
  return text.charCodeAt(at) === closeBrace ? found : undefined;
}

/** Closed by its own bracket: the walk takes any bracket for the end. */
const isArray = (text: string, { from, to }: Span): boolean =>
  to - from >= 2 && text.charCodeAt(from) === openBracket && text.charCodeAt(to - 1) === closeBracket;

/** The member of an object that begins here; undefined where none does, or its key is written with escapes. */
function memberAt(text: string, at: number): (Span & { readonly key: string }) | undefined {
  if (text.charCodeAt(at) !== quote) return undefined;
  const keyEnd = endOfString(text, at);
  const key = text.slice(at, keyEnd);
  const after = skipSpace(text, keyEnd);
  if (text.charCodeAt(after) !== colon || key.includes('\\')) return undefined;
  const from = skipSpace(text, after + 1);
  return { key, from, to: endOfValue(text, from) };
}

function* itemsIn(text: string, start: number, end: number): Generator<string> {
  let at = skipSpace(text, start);
  if (at >= end) return;
  for (;;) {
    const to = endOfValue(text, at);
    yield text.slice(at, to);
    at = skipSpace(text, to);
    if (at >= end) return;
    if (text.charCodeAt(at) !== comma) throw new SyntaxError(`no comma after an item of a list, at ${at}`);
    at = skipSpace(text, at + 1);
  }
}

/** The index after the value that begins here, if one does; never before `from`, never beyond the text. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else {
      if (depth === 0 && endsScalar(char)) return at;
      depth += step(char);
      at += 1;
    }
    if (depth === 0 && isClosing(char)) return at;
  }
  return text.length;
}

const isClosing = (char: number): boolean => char === closeBrace || char === closeBracket || char === quote;
const endsScalar = (char: number): boolean =>
  char === comma || char === closeBrace || char === closeBracket || isSpace(char);

function step(char: number): number {
  if (char === openBrace || char === openBracket) return 1;
  return char === closeBrace || char === closeBracket ? -1 : 0;
}

/** The index after a string that begins here; the end of the text where it has none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1))
    if (!isEscaped(text, at)) return at + 1;
  return text.length;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

const isSpace = (char: number): boolean => char === 32 || char === 10 || char === 13 || char === 9;
