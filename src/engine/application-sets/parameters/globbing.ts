import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';

/** Whether a path matches. */
export type PathTest = (path: string) => boolean;

const special = /[*?[{\\]/;

/**
 * compat sources ASG-4: a pattern of `git ls-files`: `*` and `?` cross `/`, and a pattern that names a directory matches all
 * below it. Throws InvalidSpec for pathspec magic and for paths outside the repository.
 */
export function pathspec(pattern: string): PathTest {
  if (pattern.startsWith(':')) {
    throw new FairleadError(
      'InvalidSpec',
      `the path "${pattern}" begins with a colon, which is pathspec magic and is not supported; write a plain pattern`,
    );
  }
  const plain = normalized(pattern);
  const bare = plain.replace(/\/$/, '');
  const isNamed: PathTest = (path) =>
    plain === '' || (path === bare && bare === plain) || path.startsWith(`${bare}/`);
  if (!/[*?[\\]/.test(plain)) return isNamed;
  const regex = compiled(plain, pattern, { star: '.*', one: '.', braces: false });
  return (path) => isNamed(path) || regex(path);
}

/** Git resolves `.` and `..` first; a path that leaves the repository is refused. */
function normalized(pattern: string): string {
  const kept: string[] = [];
  for (const part of pattern.split('/')) {
    if (part === '..' && kept.pop() === undefined) throw outside(pattern);
    if (part !== '.' && part !== '..' && part !== '') kept.push(part);
  }
  if (pattern.startsWith('/')) throw outside(pattern);
  return kept.join('/') + (pattern.endsWith('/') && kept.length > 0 ? '/' : '');
}

const outside = (pattern: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `the path "${pattern}" is outside the repository; write it from the root, without /`,
  );

/**
 * compat sources ASG-4: the doublestar dialect: `*` and `?` stay inside a segment, a segment `**` is any number of them, and
 * `{a,b}` is either. Throws InvalidSpec for a pattern that cannot be read.
 */
export function doublestar(pattern: string): PathTest {
  if (!special.test(pattern)) return (path) => path === pattern;
  return compiled(pattern, pattern, { star: '[^/]*', one: '[^/]', braces: true });
}

type GlobDialect = { readonly star: string; readonly one: string; readonly braces: boolean };

function compiled(pattern: string, named: string, dialect: GlobDialect): PathTest {
  const regex = compileRegex(`(?s)^(?:${new GlobTranslator(pattern, named, dialect).translate()})$`);
  return (path) => regex.test(path);
}

/** One walk over the pattern; its letters become a regular expression that matches in linear time. */
class GlobTranslator {
  readonly #pattern: string;
  readonly #named: string;
  readonly #dialect: GlobDialect;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, named: string, dialect: GlobDialect) {
    this.#pattern = pattern;
    this.#named = named;
    this.#dialect = dialect;
  }

  translate(): string {
    let text = '';
    while (this.#at < this.#pattern.length) text += this.#next();
    if (this.#depth > 0) throw this.#broken('a brace is not closed');
    return text;
  }

  #next(): string {
    const char = this.#take();
    switch (char) {
      case '*':
        return this.#stars();
      case '?':
        return this.#dialect.one;
      case '[':
        return this.#set();
      case '\\':
        if (this.#at >= this.#pattern.length) throw this.#broken('it ends with a backslash');
        return quoted(this.#take());
      default:
        return this.#dialect.braces ? this.#brace(char) : quoted(char);
    }
  }

  #stars(): string {
    const from = this.#at - 1;
    while (this.#pattern[this.#at] === '*') this.#at += 1;
    const count = this.#at - from;
    if (!this.#dialect.braces || count !== 2) return this.#dialect.star;
    const opens = from === 0 || this.#pattern[from - 1] === '/';
    const next = this.#pattern[this.#at];
    if (!opens || (next !== undefined && next !== '/')) return this.#dialect.star;
    if (next === undefined) return '.*';
    this.#at += 1;
    return '(?:.*/)?';
  }

  #brace(char: string): string {
    if (char === '{') {
      this.#depth += 1;
      return '(?:';
    }
    if (this.#depth === 0 || (char !== '}' && char !== ',')) return quoted(char);
    if (char === ',') return '|';
    this.#depth -= 1;
    return ')';
  }

  /** `[abc]`, `[a-z]`, `[!a]` or `[^a]`; a bracket first in the set is a letter, `[:alpha:]` is a class. */
  #set(): string {
    let text = '';
    const first = this.#pattern[this.#at];
    const negated = first === '!' || first === '^';
    if (negated) this.#at += 1;
    for (let isFirst = true; ; isFirst = false) {
      if (this.#at >= this.#pattern.length) throw this.#broken('a bracket is not closed');
      const char = this.#take();
      if (char === ']' && !isFirst) break;
      text += this.#member(char);
    }
    const slash = this.#dialect.braces ? '/' : '';
    return negated ? `[^${slash}${text}]` : `[${text}]`;
  }

  #member(char: string): string {
    if (char === '[' && this.#pattern[this.#at] === ':') {
      const end = this.#pattern.indexOf(':]', this.#at);
      if (end < 0) throw this.#broken('a class is not closed');
      const name = this.#pattern.slice(this.#at - 1, end + 2);
      this.#at = end + 2;
      return name;
    }
    const low = char === '\\' ? this.#take() : char;
    if (this.#pattern[this.#at] !== '-' || this.#pattern[this.#at + 1] === ']') return inSet(low);
    this.#at += 1;
    const end = this.#take();
    const high = end === '\\' ? this.#take() : end;
    if (high === '') throw this.#broken('a bracket is not closed');
    return high < low ? '' : `${inSet(low)}-${inSet(high)}`;
  }

  #take(): string {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#pattern.length) return '';
    this.#at += char.length;
    return char;
  }

  #broken(why: string): FairleadError {
    return new FairleadError('InvalidSpec', `the path pattern "${this.#named}" cannot be read: ${why}`);
  }
}

const quoted = (char: string): string => char.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
const inSet = (char: string): string => char.replace(/[\\\]^[-]/g, '\\$&');
