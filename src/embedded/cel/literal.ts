import { CelError, type CelValue, isInt64, isUint64, Uint } from './value.ts';

/** A parsed number, or a fault with the error message for its author. */
export function readNumber(text: string): CelValue {
  const unsigned = /[uU]$/.test(text);
  const digits = unsigned ? text.slice(0, -1) : text;
  if (!unsigned && /[.eE]/.test(digits) && !/^-?0[xX]/.test(digits)) {
    const value = Number(digits);
    return Number.isFinite(value) ? value : new CelError('invalid double literal');
  }
  const value = integer(digits);
  if (unsigned) return isUint64(value) ? new Uint(value) : new CelError('invalid uint literal');
  return isInt64(value) ? value : new CelError('invalid int literal');
}

function integer(digits: string): bigint {
  return digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

const escapes =
  /\\(?:([abfnrtv\\'"`?])|x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g;

/** The text or bytes between a literal's quotes; undefined when an escape is invalid. */
export function readQuoted(token: string): CelValue | undefined {
  const prefix = /^[bBrR]*/.exec(token)?.[0].toLowerCase() ?? '';
  const quoted = token.slice(prefix.length);
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const body = quoted.slice(width, -width).replaceAll(/\r\n?/g, '\n');
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return isBytes ? new TextEncoder().encode(body) : body;
  return isBytes ? unescapeBytes(body) : unescapeText(body);
}

function unescapeText(body: string): string | undefined {
  let isValid = true;
  const text = body.replaceAll(escapes, (_all, ...groups: (string | undefined)[]) => {
    const code = codeOf(groups);
    if (typeof code === 'string') return code;
    if (code === undefined || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      isValid = false;
      return '';
    }
    return String.fromCodePoint(code);
  });
  return isValid ? text : undefined;
}

function codeOf(groups: readonly (string | undefined)[]): string | number | undefined {
  const [char, x, bigX, u, bigU, octal] = groups;
  if (char !== undefined) return simple[char];
  const hex = x ?? bigX ?? u ?? bigU;
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return octal === undefined ? undefined : Number.parseInt(octal, 8);
}

/** In bytes, \x and octal escapes are bytes, and \u is not allowed. */
function unescapeBytes(body: string): Uint8Array | undefined {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let from = 0;
  for (const found of body.matchAll(escapes)) {
    bytes.push(...encoder.encode(body.slice(from, found.index)));
    const [, char, x, bigX, u, bigU, octal] = found;
    if (u !== undefined || bigU !== undefined) return undefined;
    const code = codeOf([char, x, bigX, undefined, undefined, octal]);
    if (code === undefined) return undefined;
    bytes.push(typeof code === 'string' ? code.charCodeAt(0) : code);
    from = found.index + found[0].length;
  }
  bytes.push(...encoder.encode(body.slice(from)));
  return Uint8Array.from(bytes);
}
