import { type Matcher, RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { FairleadError, Lru } from '#base/std';
import { type Piece, parseTemplate } from './expand.ts';

/** A group of a match. One that took no part has no text and stands at -1. */
type Group = {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly start: number;
  readonly end: number;
};

/** One match: its position and the texts of its groups (`groups[0]` is group 1). */
export type RegexMatch = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly Group[];
};

const maxPattern = 10_000;
const compiled = new Lru<Regex>({ capacity: 50_000, weigh: (regex) => regex.cost });

/**
 * Throws InvalidSpec naming the pattern and what is wrong with it, LimitExceeded for one that is too long.
 * Compiling the same pattern again is free.
 */
export function compileRegex(pattern: string): Regex {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > maxPattern) {
    throw new FairleadError(
      'LimitExceeded',
      `regular expression of ${pattern.length} characters is longer than ${maxPattern}`,
    );
  }
  const regex = new Regex(pattern, compile(pattern));
  compiled.set(pattern, regex);
  return regex;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new FairleadError(
      'InvalidSpec',
      `invalid regular expression ${JSON.stringify(pattern)}: ${complaint(error)}`,
      error,
    );
  }
}

function complaint(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message;
  const piece = error.getPattern();
  return piece ? `${error.getDescription()} at ${JSON.stringify(piece)}` : error.getDescription();
}

/** A compiled pattern; made by compileRegex. */
export class Regex {
  readonly source: string;
  /** Steps per character that a match may take, at worst. */
  readonly cost: number;
  readonly #re: RE2JS;
  readonly #names: readonly (string | undefined)[];

  constructor(source: string, re: RE2JS) {
    this.source = source;
    this.#re = re;
    this.cost = re.programSize();
    const names = new Array<string | undefined>(re.groupCount()).fill(undefined);
    for (const [name, index] of Object.entries(re.namedGroups())) names[index - 1] = name;
    this.#names = names;
  }

  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean {
    return this.#re.test(text);
  }

  /** Whether the pattern describes the whole text. */
  fullMatch(text: string): boolean {
    return this.#re.testExact(text);
  }

  /** The first match, if there is one. */
  exec(text: string): RegexMatch | undefined {
    const matcher = this.#re.matcher(text);
    return matcher.find(0) ? this.#match(matcher) : undefined;
  }

  /** Every match, one after the other, as Go's FindAll counts them. */
  *matches(text: string): Generator<RegexMatch> {
    const matcher = this.#re.matcher(text);
    let previousEnd = -1;
    for (let at = 0; at <= text.length && matcher.find(at); ) {
      const start = matcher.start();
      const end = matcher.end();
      if (start !== end || start !== previousEnd) yield this.#match(matcher);
      at = end > at ? end : at + widthAt(text, at);
      previousEnd = end;
    }
  }

  /** The text with every match replaced; `template` may refer to groups as in Go (`$1`, `${name}`, `$$`). */
  replace(text: string, template: string): string {
    const pieces = parseTemplate(template);
    let result = '';
    let from = 0;
    for (const match of this.matches(text)) {
      result += text.slice(from, match.start) + expand(pieces, match);
      from = match.end;
    }
    return result + text.slice(from);
  }

  /** The pieces between matches, at most `limit` of them when one is given, as Go's Split cuts. */
  split(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    if (limit === 0) return [];
    if (this.source !== '' && text === '') return [''];
    return cutAt(text, this.matches(text), limit);
  }

  #match(matcher: Matcher): RegexMatch {
    const start = matcher.start();
    const groups = this.#names.map((name, index) => groupOf(matcher, index + 1, name));
    return { text: matcher.group() ?? '', start, end: matcher.end(), groups };
  }
}

/** Cuts a text at matches found in it, in order, into at most `limit` pieces. */
export function cutAt(
  text: string,
  matches: Iterable<RegexMatch>,
  limit = Number.POSITIVE_INFINITY,
): string[] {
  const pieces: string[] = [];
  let from = 0;
  let cut = 0;
  for (const match of matches) {
    if (pieces.length >= limit - 1) break;
    cut = match.start;
    // compat: an empty match at the very beginning separates nothing, one at the very end ends the last piece
    if (match.end !== 0) pieces.push(text.slice(from, cut));
    from = match.end;
  }
  if (cut !== text.length) pieces.push(text.slice(from));
  return pieces;
}

function groupOf(matcher: Matcher, index: number, name: string | undefined): Group {
  const text = matcher.group(index) ?? undefined;
  if (text === undefined) return { name, text, start: -1, end: -1 };
  return { name, text, start: matcher.start(index), end: matcher.end(index) };
}

/** How far to move on from an empty match, so that no pair is cut in two. */
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

function expand(pieces: readonly Piece[], match: RegexMatch): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(match, piece.group))).join('');
}

/** A group that does not exist is empty, as one that took no part is. */
function textOf(match: RegexMatch, group: number | string): string {
  if (group === 0) return match.text;
  if (typeof group === 'number') return match.groups[group - 1]?.text ?? '';
  return match.groups.find(({ name }) => name === group)?.text ?? '';
}
