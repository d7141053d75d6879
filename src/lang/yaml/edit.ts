import type { YamlLayout, YamlNode, YamlPath } from './layout.ts';
import { print } from './print.ts';

/** The replacement of a part of a text; nothing else of it changes. */
export type YamlEdit = { readonly start: number; readonly end: number; readonly text: string };

/** What stands in a text as one word. */
export type YamlScalar = string | number | boolean | null;

/**
 * The edit that gives a field a scalar value: it replaces the scalar that is there, or adds the field to the mapping above.
 * Undefined where that would take more than a few characters on one line, or would change other fields as well.
 */
export function setScalar(
  layout: YamlLayout,
  path: YamlPath,
  value: YamlScalar,
  text: string,
): YamlEdit | undefined {
  if (!layout.isExact) return undefined;
  const found = layout.find(path);
  if (!found || found.isShared) return undefined;
  if (found.isWhole) return replaced(found.node, value);
  const field = path.at(-1);
  const above = layout.find(path.slice(0, -1));
  if (!above?.isWhole || above.isShared || typeof field !== 'string') return undefined;
  return added(above.node, `${written(field)}: ${written(value)}`, text);
}

const written = (value: YamlScalar): string => print(value).trimEnd();

/** The value as it is quoted now; one that needs quotes gets them. */
function replaced({ is, style, span }: YamlNode, value: YamlScalar): YamlEdit | undefined {
  if (is !== 'scalar' || style === 'folded') return undefined;
  const plain = written(value);
  const isSimple = typeof value === 'string' && /^[\w.+:/@=, -]+$/.test(value);
  const text =
    style === 'single' && isSimple ? `'${value}'` : style === 'double' && isSimple ? `"${value}"` : plain;
  return text.includes('\n') ? undefined : { start: span.start, end: span.end, text };
}

function added(node: YamlNode, field: string, text: string): YamlEdit | undefined {
  if (!node.fields || field.includes('\n')) return undefined;
  return node.style === 'flow' ? addedToFlow(node, field) : addedToBlock(node, field, text);
}

function addedToFlow({ fields, span }: YamlNode, field: string): YamlEdit | undefined {
  const last = [...(fields?.values() ?? [])].at(-1);
  if (!last) return insert(span.start + 1, field);
  return last.is === 'scalar' ? insert(last.span.end, `, ${field}`) : undefined;
}

/** On a line of its own: behind the last field where that is one line, else above the first. */
function addedToBlock({ fields }: YamlNode, field: string, text: string): YamlEdit | undefined {
  const all = [...(fields?.values() ?? [])];
  const [first, last] = [all[0]?.key, all.at(-1)];
  if (!first || !last?.key) return undefined;
  const isScalar = last.is === 'scalar' && last.style !== 'folded';
  const isOneLine = isScalar && !text.slice(last.key.start, last.span.end).includes('\n');
  const indent = ' '.repeat(first.column - 1);
  if (!isOneLine) return insert(first.start, `${field}${lineBreak(text)}${indent}`);
  const end = text.indexOf('\n', last.span.end);
  const at = end < 0 ? text.length : end - (text[end - 1] === '\r' ? 1 : 0);
  return insert(at, `${lineBreak(text)}${indent}${field}`);
}

const lineBreak = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const insert = (at: number, text: string): YamlEdit => ({ start: at, end: at, text });

/** The text with all edits made. Of edits that overlap, the first in the list counts. */
export function applyEdits(text: string, edits: readonly YamlEdit[]): string {
  const kept: YamlEdit[] = [];
  for (const edit of edits) {
    const isFree = kept.every((one) => edit.end <= one.start || edit.start >= one.end);
    const isTwin = kept.some(
      (one) => one.start === edit.start && one.end === edit.end && one.text === edit.text,
    );
    if (isFree && !isTwin) kept.push(edit);
  }
  kept.sort((a, b) => a.start - b.start);
  let done = '';
  let at = 0;
  for (const edit of kept) {
    done += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return done + text.slice(at);
}
