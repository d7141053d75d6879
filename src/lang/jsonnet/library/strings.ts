import { charsOf, lengthOf, sliceOf } from '../code-points.ts';
import { JsonnetError } from '../fault.ts';
import { codePoint, format } from '../format.ts';
import { quoted, textOf } from '../print-json.ts';
import { force, isList, type JsonnetValue, type List, typeOf, type Vm } from '../value.ts';
import { asInteger, asList, asNumber, asText, type JsonnetBuiltin } from './define.ts';

const text = (value: JsonnetValue): string => asText(value, 'the argument');

function substr(vm: Vm, str: JsonnetValue, from: JsonnetValue, length: JsonnetValue): string {
  const start = asInteger(from, 'the start of a substring');
  const count = asInteger(length, 'the length of a substring');
  if (start < 0) throw new JsonnetError(`the start of a substring must not be below zero, got ${start}`);
  if (count < 0) throw new JsonnetError(`the length of a substring must not be below zero, got ${count}`);
  const whole = asText(str, 'what a substring is taken of');
  vm.meter.text(Math.min(count, whole.length));
  return sliceOf(whole, start, start + count);
}

/** The separator and the most cuts of a split; -1 is any number. */
function splitting(
  str: JsonnetValue,
  c: JsonnetValue,
  most: JsonnetValue,
): { whole: string; by: string; cuts: number } {
  const by = asText(c, 'the separator');
  const cuts = asInteger(most, 'the number of cuts');
  if (by === '') throw new JsonnetError('the separator of a split must not be empty');
  if (cuts < -1) throw new JsonnetError(`the number of cuts must be -1 or more, got ${cuts}`);
  return { whole: asText(str, 'what is split'), by, cuts };
}

function split(vm: Vm, str: JsonnetValue, c: JsonnetValue, most: JsonnetValue): JsonnetValue {
  const { whole, by, cuts } = splitting(str, c, most);
  const parts = whole.split(by);
  vm.meter.step(parts.length);
  if (cuts < 0 || parts.length <= cuts + 1) return parts;
  return [...parts.slice(0, cuts), parts.slice(cuts).join(by)];
}

function splitFromRight(vm: Vm, str: JsonnetValue, c: JsonnetValue, most: JsonnetValue): JsonnetValue {
  const { whole, by, cuts } = splitting(str, c, most);
  const parts: string[] = [];
  let end = whole.length;
  while (cuts < 0 || parts.length < cuts) {
    const at = end < by.length ? -1 : whole.lastIndexOf(by, end - by.length);
    if (at < 0) break;
    parts.unshift(whole.slice(at + by.length, end));
    end = at;
  }
  vm.meter.step(parts.length);
  return [whole.slice(0, end), ...parts];
}

/** The characters of a string, or the strings of a list, are stripped. */
function stripped(str: JsonnetValue, chars: JsonnetValue, ends: { left?: boolean; right?: boolean }): string {
  const all = charsOf(asText(str, 'what is stripped'));
  const off = new Set<unknown>(
    isList(chars) ? chars.map(force) : charsOf(asText(chars, 'what is stripped off')),
  );
  let from = 0;
  let to = all.length;
  while (ends.left && from < to && off.has(all[from])) from += 1;
  while (ends.right && to > from && off.has(all[to - 1])) to -= 1;
  return all.slice(from, to).join('');
}

const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const outer = new RegExp(`^${space}|${space}$`, 'g');

function replaced(vm: Vm, whole: string, from: string, to: string): string {
  if (from === '') throw new JsonnetError('what is replaced must not be empty');
  const parts = whole.split(from);
  vm.meter.text(whole.length + (parts.length - 1) * to.length);
  return parts.join(to);
}

function findSubstr(vm: Vm, pattern: string, whole: string): number[] {
  const found: number[] = [];
  if (pattern === '') return found;
  const wide = lengthOf(whole) !== whole.length;
  for (let at = whole.indexOf(pattern); at >= 0; at = whole.indexOf(pattern, at + 1)) {
    vm.meter.step(wide ? at / 16 : 1);
    found.push(wide ? lengthOf(whole.slice(0, at)) : at);
  }
  return found;
}

/** Joins strings or arrays; null is passed over. */
function joined(vm: Vm, separator: JsonnetValue, list: List): JsonnetValue {
  const parts = list.map(force).filter((item) => item !== null);
  vm.meter.step(parts.length);
  if (typeof separator === 'string') return joinedText(vm, separator, parts);
  if (!isList(separator))
    throw new JsonnetError(`what stands between must be a string or an array, got ${typeOf(separator)}`);
  const all: JsonnetValue[] = [];
  parts.forEach((part, i) => {
    const items = asList(part, 'what is joined');
    vm.meter.step(items.length + separator.length);
    if (i > 0) for (const item of separator) all.push(item as JsonnetValue);
    for (const item of items) all.push(item as JsonnetValue);
  });
  return all;
}

function joinedText(vm: Vm, separator: string, parts: readonly JsonnetValue[]): string {
  let length = 0;
  const texts = parts.map((part) => asText(part, 'what is joined'));
  for (const part of texts) length += part.length + separator.length;
  vm.meter.text(length);
  return texts.join(separator);
}

function deepJoined(vm: Vm, value: JsonnetValue): string {
  if (typeof value === 'string') return value;
  const list = asList(value, 'what is joined');
  vm.meter.step(list.length);
  return joinedText(
    vm,
    '',
    list.map((item) => deepJoined(vm, force(item))),
  );
}

function repeated(vm: Vm, what: JsonnetValue, times: number): JsonnetValue {
  if (typeof what === 'string') {
    vm.meter.text(what.length * times);
    return what.repeat(times);
  }
  const list = asList(what, 'what is repeated');
  vm.meter.step(list.length * times);
  return Array.from({ length: times }, () => list).flat() as JsonnetValue;
}

const inXml: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Only the letters of ASCII change. */
const asciiCase =
  (pattern: RegExp, change: (char: string) => string) =>
  (whole: string): string =>
    whole.replace(pattern, change);
const upper = asciiCase(/[a-z]+/g, (chars) => chars.toUpperCase());
const lower = asciiCase(/[A-Z]+/g, (chars) => chars.toLowerCase());

/** Letters are the same when they are so in one case or the other. */
const isSameIgnoringCase = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || a.toUpperCase() === b.toUpperCase();

export const strings: readonly JsonnetBuiltin[] = [
  ['toString(a)', (vm, a = null) => textOf(vm, a)],
  ['substr(str, from, len)', (vm, str = null, from = null, length = null) => substr(vm, str, from, length)],
  ['startsWith(a, b)', (_vm, a = null, b = null) => text(a).startsWith(text(b))],
  ['endsWith(a, b)', (_vm, a = null, b = null) => text(a).endsWith(text(b))],
  ['stringChars(str)', (_vm, str = null) => charsOf(text(str))],
  [
    'codepoint(str)',
    (_vm, str = null) => {
      if (lengthOf(text(str)) !== 1)
        throw new JsonnetError(`one character is needed, got ${lengthOf(text(str))}`);
      return text(str).codePointAt(0) ?? 0;
    },
  ],
  ['char(n)', (_vm, n = null) => codePoint(asNumber(n, 'the number of a character'))],
  ['split(str, c)', (vm, str = null, c = null) => split(vm, str, c, -1)],
  ['splitLimit(str, c, maxsplits)', (vm, str = null, c = null, most = null) => split(vm, str, c, most)],
  [
    'splitLimitR(str, c, maxsplits)',
    (vm, str = null, c = null, most = null) => splitFromRight(vm, str, c, most),
  ],
  [
    'strReplace(str, from, to)',
    (vm, str = null, from = null, to = null) => replaced(vm, text(str), text(from), text(to)),
  ],
  ['asciiUpper(str)', (_vm, str = null) => upper(text(str))],
  ['asciiLower(str)', (_vm, str = null) => lower(text(str))],
  ['lstripChars(str, chars)', (_vm, str = null, chars = null) => stripped(str, chars, { left: true })],
  ['rstripChars(str, chars)', (_vm, str = null, chars = null) => stripped(str, chars, { right: true })],
  [
    'stripChars(str, chars)',
    (_vm, str = null, chars = null) => stripped(str, chars, { left: true, right: true }),
  ],
  ['trim(str)', (_vm, str = null) => text(str).replace(outer, '')],
  ['isEmpty(str)', (_vm, str = null) => text(str) === ''],
  ['equalsIgnoreCase(str1, str2)', (_vm, a = null, b = null) => isSameIgnoringCase(text(a), text(b))],
  ['findSubstr(pat, str)', (vm, pattern = null, str = null) => findSubstr(vm, text(pattern), text(str))],
  [
    'repeat(what, count)',
    (vm, what = null, times = null) => repeated(vm, what, Math.max(0, asInteger(times, 'the count'))),
  ],
  [
    'join(sep, arr)',
    (vm, separator = null, arr = null) => joined(vm, separator, asList(arr, 'what is joined')),
  ],
  ['lines(arr)', (vm, arr = null) => joined(vm, '\n', [...asList(arr, 'what is joined'), ''])],
  ['deepJoin(arr)', (vm, arr = null) => deepJoined(vm, arr)],
  ['format(str, vals)', (vm, str = null, values = null) => format(vm, asText(str, 'a format'), values)],
  ['escapeStringJson(str_)', (vm, str = null) => quoted(textOf(vm, str))],
  ['escapeStringPython(str)', (vm, str = null) => quoted(textOf(vm, str))],
  ['escapeStringBash(str_)', (vm, str = null) => `'${replaced(vm, textOf(vm, str), "'", `'"'"'`)}'`],
  ['escapeStringDollars(str_)', (vm, str = null) => replaced(vm, textOf(vm, str), '$', '$$')],
  [
    'escapeStringXML(str_)',
    (vm, str = null) => textOf(vm, str).replace(/[<>&"']/g, (char) => inXml[char] ?? char),
  ],
];
