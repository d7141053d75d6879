/**
 * The error of Go's JSON scanner for a text; undefined when the text is JSON. Called only after parsing has
 * failed, so that clients get the message they know.
 */
export function syntaxError(text: string): string | undefined {
  const scan: Scan = { text, at: 0, open: [] };
  try {
    document(scan);
    return undefined;
  } catch (error) {
    if (error instanceof Unexpected) return error.message;
    throw error;
  }
}

class Unexpected extends Error {}

/** `open`: the brackets that are yet to be closed. A list, not the call stack: hostile texts nest deep. */
type Scan = { readonly text: string; at: number; readonly open: ('}' | ']')[] };

const deepest = 10_000;

function unexpected({ text, at }: Scan, where: string): Unexpected {
  const code = text.codePointAt(at);
  if (code === undefined) return new Unexpected('unexpected end of JSON input');
  return new Unexpected(`invalid character ${quoted(String.fromCodePoint(code))} ${where}`);
}

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  '"': '"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A character in single quotes, as Go's %q writes one. */
function quoted(char: string): string {
  const code = char.charCodeAt(0);
  const plain = escapes[char] ?? (code < 32 ? `\\x${code.toString(16).padStart(2, '0')}` : char);
  return `'${plain}'`;
}

function skip(scan: Scan): void {
  while (' \t\r\n'.includes(scan.text[scan.at] ?? 'x')) scan.at += 1;
}

function document(scan: Scan): void {
  do {
    value(scan);
    while (closes(scan)) scan.open.pop();
  } while (scan.open.length > 0);
  skip(scan);
  if (scan.at < scan.text.length) throw unexpected(scan, 'after top-level value');
}

/**
 * After a value: whether a bracket closes; otherwise, inside one, the separator before the next value has been
 * read.
 */
function closes(scan: Scan): boolean {
  const end = scan.open.at(-1);
  if (end === undefined) return false;
  skip(scan);
  const char = scan.text[scan.at];
  if (char !== end && char !== ',') {
    throw unexpected(scan, end === '}' ? 'after object key:value pair' : 'after array element');
  }
  scan.at += 1;
  if (char === ',' && end === '}') key(scan);
  return char === end;
}

/** Reads one value; of a non-empty object or list, the part before its first value. */
function value(scan: Scan): void {
  for (;;) {
    skip(scan);
    const char = scan.text[scan.at] ?? '';
    if (char !== '{' && char !== '[') {
      scalar(scan, char);
      return;
    }
    if (isEmpty(scan, char === '{' ? '}' : ']')) return;
  }
}

/** Whether the bracket that opens here closes at once; otherwise it is open, and its first key has been read. */
function isEmpty(scan: Scan, end: '}' | ']'): boolean {
  if (scan.open.length === deepest) throw unexpected(scan, 'exceeded max depth');
  scan.at += 1;
  skip(scan);
  if (scan.text[scan.at] === end) {
    scan.at += 1;
    return true;
  }
  scan.open.push(end);
  if (end === '}') key(scan);
  return false;
}

function scalar(scan: Scan, char: string): void {
  if (char === '"') string(scan);
  else if (/[-0-9]/.test(char)) number(scan);
  else if (char === 't') literal(scan, 'true');
  else if (char === 'f') literal(scan, 'false');
  else if (char === 'n') literal(scan, 'null');
  else throw unexpected(scan, 'looking for beginning of value');
}

function key(scan: Scan): void {
  skip(scan);
  if (scan.text[scan.at] !== '"') throw unexpected(scan, 'looking for beginning of object key string');
  string(scan);
  skip(scan);
  if (scan.text[scan.at] !== ':') throw unexpected(scan, 'after object key');
  scan.at += 1;
}

function string(scan: Scan): void {
  for (scan.at += 1; scan.text[scan.at] !== '"'; scan.at += 1) {
    const char = scan.text[scan.at];
    if (char === undefined || char < ' ') throw unexpected(scan, 'in string literal');
    if (char === '\\') escaped(scan);
  }
  scan.at += 1;
}

function escaped(scan: Scan): void {
  scan.at += 1;
  const char = scan.text[scan.at] ?? '';
  if (char === '' || !'"\\/bfnrtu'.includes(char)) throw unexpected(scan, 'in string escape code');
  if (char !== 'u') return;
  for (let digit = 0; digit < 4; digit++) {
    scan.at += 1;
    if (!/[0-9a-fA-F]/.test(scan.text[scan.at] ?? '')) {
      throw unexpected(scan, 'in \\u hexadecimal character escape');
    }
  }
}

function literal(scan: Scan, word: string): void {
  for (const [index, char] of [...word].entries()) {
    if (scan.text[scan.at] !== char) {
      throw unexpected(scan, index === 0 ? '' : `in literal ${word} (expecting ${quoted(char)})`);
    }
    scan.at += 1;
  }
}

const isDigit = ({ text, at }: Scan): boolean => /[0-9]/.test(text[at] ?? '');

function digits(scan: Scan, where: string): void {
  if (!isDigit(scan)) throw unexpected(scan, where);
  while (isDigit(scan)) scan.at += 1;
}

function number(scan: Scan): void {
  if (scan.text[scan.at] === '-') scan.at += 1;
  if (scan.text[scan.at] === '0') scan.at += 1;
  else digits(scan, 'in numeric literal');
  if (scan.text[scan.at] === '.') {
    scan.at += 1;
    digits(scan, 'after decimal point in numeric literal');
  }
  if (!/[eE]/.test(scan.text[scan.at] ?? '')) return;
  scan.at += 1;
  if (/[-+]/.test(scan.text[scan.at] ?? '')) scan.at += 1;
  digits(scan, 'in exponent of numeric literal');
}
