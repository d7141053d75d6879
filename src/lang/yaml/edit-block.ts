import { isObject } from '#base/std';
import { setScalar, type YamlEdit, type YamlScalar } from './edit.ts';
import type { YamlLayout, YamlNode, YamlPath } from './layout.ts';
import { print } from './print.ts';

/**
 * The edit that gives a field or an item any value, adds it at the end of what is there, or removes it (`undefined`). Only its own
 * lines change; comments within them are lost, those above them stay. Undefined where that is impossible: below a flow collection,
 * an alias or a merge, for the last field or item of its collection, and for the root.
 */
export function setValue(
  layout: YamlLayout,
  path: YamlPath,
  value: unknown,
  text: string,
): YamlEdit | undefined {
  const scalar = isScalar(value) && isThere(layout, path) && setScalar(layout, path, value, text);
  if (scalar) return scalar;
  const at = path.at(-1);
  const above = layout.find(path.slice(0, -1));
  const isOpen = layout.isExact && above?.isWhole && !above.isShared && above.node.style !== 'flow';
  if (at === undefined || !isOpen) return undefined;
  const lists = indentsLists(layout.find([])?.node) === true ? 'indented' : 'flush';
  return changed({ text, above: above.node, at, show: (one) => print(one, { lists }) }, value);
}

const isThere = (layout: YamlLayout, path: YamlPath): boolean => layout.find(path)?.isWhole === true;

const isScalar = (value: unknown): value is YamlScalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Whether the first list of a document stands to the right of its key; undefined: it has none. */
function indentsLists(node: YamlNode | undefined): boolean | undefined {
  for (const below of [...(node?.fields?.values() ?? []), ...(node?.items ?? [])]) {
    if (below.is === 'sequence' && below.style === 'block' && below.key)
      return below.span.column > below.key.column;
    const found = indentsLists(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Slot = {
  readonly text: string;
  readonly above: YamlNode;
  readonly at: string | number;
  /** Prints a value as the document is laid out. */
  show(value: unknown): string;
};

function changed(slot: Slot, value: unknown): YamlEdit | undefined {
  const { text, above, at } = slot;
  const node = typeof at === 'number' ? above.items?.[at] : above.fields?.get(at);
  if (!node) return value === undefined ? undefined : added(slot, value);
  const own = regionOf(text, node, at);
  if (!own) return undefined;
  return value === undefined ? removed(slot, own) : replaced(slot, own, node, value);
}

/** The lines of a field or an item. */
type Region = {
  /** Of the key, or of the mark of the item. */
  readonly start: number;
  /** Behind the last character that is no comment. */
  readonly end: number;
  readonly indent: number;
  /** Nothing but blanks stands before it on its line. */
  readonly beginsLine: boolean;
};

function regionOf(text: string, node: YamlNode, at: string | number): Region | undefined {
  const start = typeof at === 'number' ? markOf(text, node) : node.key?.start;
  if (start === undefined) return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start);
  const indent = before.length;
  return { start, end: endOf(text, start, { node, indent }), indent, beginsLine: /^ *$/.test(before) };
}

/** Where the `-` of an item stands; undefined: not on the line of its value. */
function markOf(text: string, { span }: YamlNode): number | undefined {
  const before = text.slice(text.lastIndexOf('\n', span.start - 1) + 1, span.start);
  const mark = /- +$/.exec(before);
  return mark ? span.start - mark[0].length : undefined;
}

type Block = { readonly node: YamlNode; readonly indent: number };

/** The end of the last line that belongs to a block, by the indentation of what follows. */
function endOf(text: string, start: number, { node, indent }: Block): number {
  let end = endOfLine(text, start);
  let at = end;
  while (at < text.length) {
    const from = text.indexOf('\n', at) + 1;
    if (from === 0) break;
    at = endOfLine(text, from);
    const line = text.slice(from, at);
    const depth = line.length - line.trimStart().length;
    const isBlank = line.trim() === '';
    const isInside = depth > indent;
    // in a block scalar a line with # is text
    const isComment = /^\s*#/.test(line) && !(node.style === 'folded' && isInside);
    if (isBlank || isComment) continue;
    // a list may stand at the indentation of its key
    const isItem = node.is === 'sequence' && node.key && depth === indent && /^ *-(\s|$)/.test(line);
    if (!isInside && !isItem) break;
    end = at;
  }
  return end;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function removed({ text, above }: Slot, { start, end, beginsLine }: Region): YamlEdit | undefined {
  const { size = 0 } = above.fields ?? {};
  const isLast = (above.items?.length ?? size) === 1;
  if (isLast || !beginsLine) return undefined;
  const next = text.indexOf('\n', end) + 1;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  return next > 0
    ? { start: from, end: next, text: '' }
    : { start: Math.max(0, from - 1), end: text.length, text: '' };
}

function replaced(
  { text, at, show }: Slot,
  { start, end, indent }: Region,
  node: YamlNode,
  value: unknown,
): YamlEdit {
  const isFlow = node.style === 'flow' && typeof value === 'object' && value !== null;
  if (typeof at === 'string') {
    const field = isFlow ? `${keyOf(at)} ${flow(value)}` : show({ [at]: value });
    return { start, end, text: indented(field, indent, text) };
  }
  const inner = indent + (node.span.start - start);
  return {
    start: node.span.start,
    end,
    text: isFlow ? flow(value) : indented(show(value), inner, text),
  };
}

/** Behind the last field or item. */
function added({ text, above, at, show }: Slot, value: unknown): YamlEdit | undefined {
  const all = above.items ?? [...(above.fields?.values() ?? [])];
  const last = all.at(-1);
  if (!last || (typeof at === 'number') !== (above.items !== undefined)) return undefined;
  if (typeof at === 'number' && at !== all.length) return undefined;
  const own = regionOf(text, last, typeof at === 'number' ? at - 1 : at);
  if (!own) return undefined;
  const pad = ' '.repeat(own.indent);
  const lines =
    typeof at === 'number'
      ? `- ${indented(show(value), own.indent + 2, text)}`
      : indented(show({ [at]: value }), own.indent, text);
  return { start: own.end, end: own.end, text: `${lineBreak(text)}${pad}${lines}` };
}

/** Printed lines below the first at an indentation, with the line breaks of the text. */
function indented(printed: string, indent: number, text: string): string {
  const pad = ' '.repeat(indent);
  const [first = '', ...rest] = printed.trimEnd().split('\n');
  return [first, ...rest.map((line) => (line === '' ? '' : pad + line))].join(lineBreak(text));
}

const lineBreak = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const keyOf = (key: string): string => print({ [key]: null }).replace(/ null\n$/, '');

/** On one line, as JSON that is YAML as well. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${flow(one)}`);
  return `{${fields.join(', ')}}`;
}
