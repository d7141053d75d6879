import {
  byteLength,
  byteSlice,
  codeOf,
  fromBytes,
  isStrayByte,
  rejoined,
  runesOf,
  toBytes,
} from '../text.ts';
import type { CallContext } from '../value.ts';

const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
const isLower = (char: string): boolean => /^\p{Ll}$/u.test(char);
const isSpace = (char: string): boolean =>
  /^[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/.test(char);
const isPunctuation = (char: string): boolean => /^\p{P}$/u.test(char);
const isNumber = (char: string): boolean => /^\p{N}$/u.test(char);
/** compat: xstrings counts no Chinese character among the letters. */
const isLetter = (char: string): boolean =>
  /^\p{L}$/u.test(char) && !/^[\u4e00-\u9fcc\u3400-\u4d85\u{20000}-\u{2b81d}]$/u.test(char);
const isConnector = (char: string): boolean => char === '-' || char === '_' || isSpace(char);

/** One character in the other case; one that would become two stays. */
const upper = (char: string): string =>
  runesOf(char.toUpperCase()).length === 1 ? char.toUpperCase() : char;
const lower = (char: string): string =>
  runesOf(char.toLowerCase()).length === 1 ? char.toLowerCase() : char;
/** A stray byte is U+FFFD where Go works on characters. */
const characters = (value: string): string[] =>
  runesOf(value).map((char) => (isStrayByte(char) ? '\ufffd' : char));

/** strings.Title: a letter after what is no letter, digit, underscore or, beyond ASCII, symbol becomes a capital. */
export function title(value: string): string {
  let previous = ' ';
  return runesOf(value)
    .map((char) => {
      const starts = isSeparator(previous);
      previous = char;
      return starts ? titleCase(char) : char;
    })
    .join('');
}

const titleCase = (char: string): string => upper(char);

const isSeparator = (char: string): boolean => {
  if (codeOf(char) <= 0x7f) return !/[0-9A-Za-z_]/.test(char);
  return !/^[\p{L}\p{Nd}]$/u.test(char) && isSpace(char);
};

/** goutils.Uncapitalize: the first letter of every word. */
export function untitle(value: string): string {
  let next = true;
  return characters(value)
    .map((char) => {
      if (isSpace(char)) {
        next = true;
        return char;
      }
      const changed = next ? lower(char) : char;
      next = false;
      return changed;
    })
    .join('');
}

/** compat: what becomes a title letter at the start of a word is, but for four letters, the capital. */
export const swapCase = (value: string): string =>
  characters(value)
    .map((char) => (isLower(char) ? upper(char) : lower(char)))
    .join('');

/** compat: goutils reads bytes as characters, so a letter beyond ASCII becomes others. */
const byteCharacters = (value: string): string[] =>
  Array.from(toBytes(value), (byte) => String.fromCharCode(byte));

export function initials(value: string): string {
  let afterGap = true;
  let out = '';
  for (const char of byteCharacters(value)) {
    if (isSpace(char)) afterGap = true;
    else if (afterGap) {
      out += char;
      afterGap = false;
    }
  }
  return out;
}

export function nospace(value: string): string {
  const all = byteCharacters(value);
  const kept = all.filter((char) => !isSpace(char));
  return kept.length === all.length ? value : kept.join('');
}

/** goutils.AbbreviateFull; widths are bytes, and a width that is too small gives nothing. */
export function abbreviate(value: string, offset: number, width: number): string {
  const length = byteLength(value);
  if (value === '' || width < 4) return '';
  if (length <= width) return value;
  let start = Math.min(offset, length);
  if (length - start < width - 3) start = length - (width - 3);
  if (start <= 4) return `${byteSlice(value, 0, width - 3)}...`;
  if (width < 7) return '';
  if (start + width - 3 < length) return `...${abbreviate(byteSlice(value, start), 0, width - 3)}`;
  return `...${byteSlice(value, length - (width - 3))}`;
}

/** goutils.WrapCustom, which counts bytes. */
export function wrap(
  run: CallContext,
  value: string,
  options: { width: number; newLine: string; longWords: boolean },
): string {
  const bytes = toBytes(value);
  const width = Math.max(options.width, 1);
  run.alloc(bytes.length + (bytes.length / width) * options.newLine.length);
  const lines: string[] = [];
  let offset = 0;
  while (bytes.length - offset > width) {
    if (bytes[offset] === 32) {
      offset += 1;
      continue;
    }
    const cut = lineEnd(bytes, offset, width, options.longWords);
    lines.push(fromBytes(bytes.subarray(offset, cut.end)));
    if (cut.next >= bytes.length && cut.end === bytes.length) return lines.join(options.newLine);
    offset = cut.next;
  }
  return rejoined([...lines, fromBytes(bytes.subarray(offset))].join(options.newLine));
}

function lineEnd(
  bytes: Uint8Array,
  offset: number,
  width: number,
  longWords: boolean,
): { end: number; next: number } {
  const space = bytes.subarray(offset, offset + width + 1).lastIndexOf(32);
  if (space >= 0) return { end: offset + space, next: offset + space + 1 };
  if (longWords) return { end: offset + width, next: offset + width };
  const later = bytes.indexOf(32, offset + width);
  return later < 0 ? { end: bytes.length, next: bytes.length } : { end: later, next: later + 1 };
}

/** xstrings.ToPascalCase: a connector goes, and the letter behind it becomes a capital; of several the last goes. */
export function camelCase(value: string): string {
  const text = characters(value).join('');
  const start = connectors.exec(text)?.[0] ?? '';
  const words = text.slice(start.length).split(lastConnector);
  return start + words.map(pascalWord).join('');
}

const connector = '[-_\\t\\n\\v\\f\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const connectors = new RegExp(`^${connector}*`);
const lastConnector = new RegExp(`${connector}(?!${connector}|$)`);

/** The first letter large; capitals that follow a first capital small, up to the first letter that is none. */
function pascalWord(word: string): string {
  const [first = '', ...rest] = runesOf(word);
  const end = isUpper(first) ? rest.findIndex((char) => !isUpper(char)) : 0;
  const capitals = end < 0 ? rest.length : end;
  return upper(first) + rest.slice(0, capitals).map(lower).join('') + rest.slice(capitals).join('');
}

type WordKind = 'invalid' | 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other';
type Word = { kind: WordKind; text: string };

const runs: [WordKind, (char: string) => boolean, (char: string) => boolean][] = [
  ['connector', isConnector, isConnector],
  ['punctuation', isPunctuation, isPunctuation],
  ['letters', isLetter, (char) => isLetter(char) && !isUpper(char)],
  ['number', isNumber, isNumber],
];

const isOther = (char: string): boolean =>
  !isConnector(char) && !isLetter(char) && !isNumber(char) && !isPunctuation(char);

/** The words of a text as xstrings cuts them: `HTTPServer2` is HTTP, Server, 2. */
function wordsOf(value: string): Word[] {
  const runes = runesOf(value);
  const words: Word[] = [];
  for (let at = 0; at < runes.length; ) {
    const kind = kindOf(runes[at] ?? '');
    const end = kind === 'upper' ? upperEnd(runes, at) : runEnd(runes, at, kind);
    words.push({ kind, text: runes.slice(at, end).join('') });
    at = end;
  }
  return words;
}

function kindOf(char: string): WordKind {
  if (isUpper(char)) return 'upper';
  return runs.find(([, begins]) => begins(char))?.[0] ?? 'other';
}

function runEnd(runes: readonly string[], start: number, kind: WordKind): number {
  const goesOn = runs.find(([name]) => name === kind)?.[2] ?? isOther;
  let at = start + 1;
  while (at < runes.length && goesOn(runes[at] ?? '')) at += 1;
  return at;
}

/** `Word`, or the capitals of an acronym without the one that begins the next word. */
function upperEnd(runes: readonly string[], start: number): number {
  const next = runes[start + 1];
  if (next === undefined) return start + 1;
  if (!isUpper(next)) return isLetter(next) ? runEnd(runes, start + 1, 'letters') : start + 1;
  let at = start + 2;
  while (at < runes.length && isUpper(runes[at] ?? '')) at += 1;
  const after = runes[at];
  return after !== undefined && isLetter(after) ? at - 1 : at;
}

/** xstrings.ToSnakeCase and ToKebabCase. */
export function separated(value: string, connector: string): string {
  if (value === '') return '';
  return new Separator(wordsOf(value), connector).run();
}

class Separator {
  readonly #words: readonly Word[];
  readonly #connector: string;
  #at = 0;
  #out = '';

  constructor(words: readonly Word[], connector: string) {
    this.#words = words;
    this.#connector = connector;
  }

  run(): string {
    let word = this.#next();
    while (this.#at < this.#words.length) {
      if (word.kind !== 'connector') this.#write(word.kind, word.text);
      const previous = word;
      word = this.#next();
      if (previous.kind === 'number') word = this.#afterNumber(word);
      else if (previous.kind === 'connector') this.#write(previous.kind, previous.text);
      else if (previous.kind !== 'punctuation') word = this.#afterLetters(word);
    }
    this.#write(word.kind, word.text);
    return rejoined(this.#out);
  }

  #next(): Word {
    const word = this.#words[this.#at];
    this.#at += 1;
    return word ?? { kind: 'invalid', text: '' };
  }

  #write(kind: WordKind, part: string): void {
    if (kind !== 'upper' && kind !== 'connector') this.#out += part;
    else
      this.#out += runesOf(part)
        .map((char) => (isConnector(char) ? this.#connector : isUpper(char) ? lower(char) : char))
        .join('');
  }

  /** Letters and numbers in a row stay together. */
  #together(first: Word): Word {
    let word = first;
    while (word.kind === 'letters' || word.kind === 'number') {
      this.#write(word.kind, word.text);
      word = this.#next();
    }
    return word;
  }

  #separate(word: Word, unless: readonly WordKind[]): void {
    if (!unless.includes(word.kind)) this.#out += this.#connector;
  }

  #afterNumber(first: Word): Word {
    const word = this.#together(first);
    this.#separate(word, ['invalid', 'punctuation', 'connector']);
    return word;
  }

  #afterLetters(word: Word): Word {
    if (word.kind !== 'number') {
      this.#separate(word, ['connector', 'punctuation']);
      return word;
    }
    if (this.#at >= this.#words.length) return word;
    const next = this.#next();
    if (next.kind !== 'letters') {
      this.#write('number', word.text);
      this.#separate(next, ['connector', 'punctuation']);
      return next;
    }
    this.#out += this.#connector;
    this.#write('number', word.text);
    const last = this.#together(next);
    this.#separate(last, ['invalid', 'connector', 'punctuation']);
    return last;
  }
}
