import { parseFloatText, parseInteger } from './number-text.ts';
import { fromBytes, toBytes } from './text.ts';

/** A literal that Go's strconv would refuse. */
export class LiteralError extends Error {}

const invalid = (): never => {
  throw new LiteralError('invalid syntax');
};

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
};
const widths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The text of a string literal in double quotes or backquotes. */
export function unquote(literal: string): string {
  const body = literal.slice(1, -1);
  if (literal.startsWith('`')) return body.replaceAll('\r', '');
  if (!body.includes('\\')) return body;
  const bytes: number[] = [];
  for (let at = 0; at < body.length; ) {
    const unit = unquoteChar(body.slice(at, at + 10), '"');
    if (unit.isByte) bytes.push(unit.code);
    else bytes.push(...toBytes(String.fromCodePoint(unit.code)));
    at += unit.length;
  }
  return fromBytes(Uint8Array.from(bytes));
}

/** The first character of a literal's inside: its code and how much text it took. */
function unquoteChar(text: string, around: string): { code: number; length: number; isByte: boolean } {
  const first = text.codePointAt(0);
  if (first === undefined || text[0] === around) return invalid();
  if (text[0] !== '\\') return { code: first, length: first > 0xffff ? 2 : 1, isByte: false };
  const kind = text[1] ?? '';
  const code = simple[kind] ?? (kind === around ? around.charCodeAt(0) : undefined);
  if (code !== undefined) return { code, length: 2, isByte: false };
  return numericEscape(text, kind);
}

function numericEscape(text: string, kind: string): { code: number; length: number; isByte: boolean } {
  const octal = /^\\([0-7]{3})/.exec(text)?.[1];
  if (octal) {
    const code = Number.parseInt(octal, 8);
    return code > 255 ? invalid() : { code, length: 4, isByte: code > 127 };
  }
  const width = widths[kind] ?? invalid();
  const digits = text.slice(2, 2 + width);
  if (digits.length < width || !/^[0-9a-fA-F]+$/.test(digits)) return invalid();
  const code = Number.parseInt(digits, 16);
  if (kind === 'x') return { code, length: 4, isByte: code > 127 };
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return invalid();
  return { code, length: 2 + width, isByte: false };
}

/** A number constant, under every type that can represent it. */
export type NumberLiteral = {
  readonly text: string;
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: readonly [real: number, imaginary: number];
};

const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;

/** A number, or a character in single quotes, as written. Throws LiteralError. */
export function numberLiteral(text: string): NumberLiteral {
  if (text.startsWith("'")) return charLiteral(text);
  const pair = /^(.*[^eEpP(])([-+].*)i$/.exec(text);
  if (pair) return complexLiteral(text, pair[1] ?? '', pair[2] ?? '');
  if (text.endsWith('i')) {
    const imaginary = parseFloatText(text.slice(0, -1));
    if (imaginary !== undefined) return fromComplex(text, 0, imaginary);
  }
  const whole = parseInteger(text);
  if (whole !== undefined && whole >= -(maxInt64 + 1n) && whole <= maxUint64) return fromWhole(text, whole);
  const float = parseFloatText(text);
  if (float === undefined) throw new LiteralError(`illegal number syntax: ${JSON.stringify(text)}`);
  if (!/[.eEpP]/.test(text)) throw new LiteralError(`integer overflow: ${JSON.stringify(text)}`);
  return { text, float, ...wholeOf(float) };
}

function fromWhole(text: string, whole: bigint): NumberLiteral {
  return {
    text,
    float: Number(whole),
    ...(whole <= maxInt64 && { int: whole }),
    ...(((whole > 0n && !text.startsWith('+')) || whole === 0n) && { uint: whole }),
  };
}

function wholeOf(float: number): { int?: bigint; uint?: bigint } {
  if (!Number.isInteger(float)) return {};
  const whole = BigInt(float);
  return {
    ...(whole <= maxInt64 && whole >= -maxInt64 - 1n && { int: whole }),
    ...(whole >= 0n && whole <= maxUint64 && { uint: whole }),
  };
}

function charLiteral(text: string): NumberLiteral {
  const { code, length } = unquoteChar(text.slice(1), "'");
  if (text.slice(1 + length) !== "'") throw new LiteralError(`malformed character constant: ${text}`);
  return { text, int: BigInt(code), uint: BigInt(code), float: code };
}

function complexLiteral(text: string, real: string, imaginary: string): NumberLiteral {
  const parts = [parseFloatText(real), parseFloatText(imaginary)] as const;
  if (parts[0] === undefined || parts[1] === undefined)
    throw new LiteralError('syntax error scanning complex number');
  return fromComplex(text, parts[0], parts[1]);
}

function fromComplex(text: string, real: number, imaginary: number): NumberLiteral {
  const simpler = imaginary === 0 ? { float: real, ...wholeOf(real) } : {};
  return { text, complex: [real, imaginary], ...simpler };
}
