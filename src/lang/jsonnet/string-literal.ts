import { JsonnetError, type SourceText } from './fault.ts';

type Read = { readonly value: string; readonly end: number };

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A string between quotes; `at` is the opening one. */
export function readQuoted(source: SourceText, at: number): Read {
  const { text } = source;
  const quote = text[at];
  let value = '';
  let from = at + 1;
  for (let spot = from; spot < text.length; ) {
    const char = text[spot];
    if (char === quote) return { value: value + text.slice(from, spot), end: spot + 1 };
    if (char !== '\\') {
      spot += 1;
      continue;
    }
    const { letters, width } = escapeAt(source, spot);
    value += text.slice(from, spot) + letters;
    spot += width;
    from = spot;
  }
  throw new JsonnetError(`a string is not closed: add ${quote}`, { source, at });
}

function escapeAt(source: SourceText, at: number): { letters: string; width: number } {
  const char = source.text[at + 1] ?? '';
  const plain = escapes[char];
  if (plain !== undefined) return { letters: plain, width: 2 };
  if (char === 'u') return unicodeAt(source, at);
  throw new JsonnetError(`the escape \\${char} is not known in a string`, { source, at });
}

/** compat sources JSN-4: half of a surrogate pair needs another escape after it; two that are no pair become U+FFFD. */
function unicodeAt(source: SourceText, at: number): { letters: string; width: number } {
  const first = hexAt(source, at + 2);
  if (first < 0xd800 || first > 0xdfff) return { letters: String.fromCharCode(first), width: 6 };
  if (!source.text.startsWith('\\u', at + 6)) {
    throw new JsonnetError('half of a surrogate pair needs its other half', { source, at });
  }
  const second = hexAt(source, at + 8);
  const isPair = first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  return { letters: isPair ? String.fromCharCode(first, second) : '\ufffd', width: 12 };
}

function hexAt(source: SourceText, at: number): number {
  const digits = source.text.slice(at, at + 4);
  if (!/^[0-9a-fA-F]{4}$/.test(digits))
    throw new JsonnetError('\\u needs four hexadecimal digits', { source, at });
  return Number.parseInt(digits, 16);
}

/** `@'…'`: nothing is escaped, a doubled quote is one quote. */
export function readVerbatim(source: SourceText, at: number): Read {
  const { text } = source;
  const quote = text[at + 1] ?? '"';
  let value = '';
  let from = at + 2;
  for (;;) {
    const close = text.indexOf(quote, from);
    if (close < 0) throw new JsonnetError(`a string is not closed: add ${quote}`, { source, at });
    value += text.slice(from, close);
    if (text[close + 1] !== quote) return { value, end: close + 1 };
    value += quote;
    from = close + 2;
  }
}

/** `|||`: lines with the indentation of the first one removed, up to a line that is indented less. */
export function readTextBlock(source: SourceText, at: number): Read {
  const { text } = source;
  const opening = /^\|\|\|(-?)[ \t\r]*\n/.exec(text.slice(at, text.indexOf('\n', at) + 1));
  if (!opening) throw new JsonnetError('a text block begins on the line after |||', { source, at });
  let spot = at + opening[0].length;
  const lines: string[] = [];
  while (text[spot] === '\n') {
    lines.push('');
    spot += 1;
  }
  const indent = /^[ \t]*/.exec(text.slice(spot, lineEnd(text, spot)))?.[0] ?? '';
  if (indent === '')
    throw new JsonnetError('the first line of a text block must be indented', { source, at: spot });
  while (text[spot] === '\n' || text.startsWith(indent, spot)) {
    const end = lineEnd(text, spot);
    if (end >= text.length) throw new JsonnetError('a text block is not closed: add |||', { source, at });
    lines.push(text.slice(spot, end).slice(indent.length));
    spot = end + 1;
  }
  return closed({ source, at, spot }, lines, opening[1] === '-');
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

type Closing = { readonly source: SourceText; readonly at: number; readonly spot: number };

function closed({ source, at, spot }: Closing, lines: readonly string[], chomp: boolean): Read {
  const margin = /^[ \t]*/.exec(source.text.slice(spot, lineEnd(source.text, spot)))?.[0].length ?? 0;
  if (!source.text.startsWith('|||', spot + margin)) {
    throw new JsonnetError('a line of a text block is indented less than its first line', { source, at });
  }
  return { value: lines.join('\n') + (chomp ? '' : '\n'), end: spot + margin + 3 };
}
