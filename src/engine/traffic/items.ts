import { isObject } from '#base/std';
import { parse } from '#lang/yaml';
import { indentOf, isContent } from './documents.ts';

type Entry = {
  readonly revisionName?: string;
  readonly latestRevision?: boolean;
  readonly percent: number;
  readonly tag?: string;
};

type ListStyle = {
  readonly traffic: readonly Entry[];
  /** The indentation of the key that the list belongs to. */
  readonly indent: number;
  readonly isIndented: boolean;
  print(value: string | number | boolean): string;
};

/** The lines of a list of entries, written from nothing. */
export function newItems({ traffic, indent, isIndented, print }: ListStyle): string[] {
  return traffic.flatMap((entry) => linesOf(entry, indent + (isIndented ? 2 : 0), print));
}

function linesOf(entry: Entry, indent: number, print: ListStyle['print']): string[] {
  const pad = ' '.repeat(indent);
  return Object.entries(entry).map(
    ([key, value], at) => `${pad}${at === 0 ? '- ' : '  '}${key}: ${print(value)}`,
  );
}

/** An item of the list as it is written: the comments above it, and its own lines. */
type Item = {
  readonly above: readonly string[];
  readonly lines: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
};

/** The same list with other entries; an entry that stays keeps its lines and comments. Undefined: not written as such a list. */
export function editItems(body: readonly string[], style: ListStyle): string[] | undefined {
  const first = body.find(isContent);
  if (first === undefined || !/^ *- /.test(first)) return undefined;
  const indent = indentOf(first);
  const items = itemsOf(body, indent);
  if (!items) return undefined;
  const free = new Set(items);
  return style.traffic.flatMap((entry) => {
    const same = [...free].filter(({ value }) => (value.revisionName ?? '') === (entry.revisionName ?? ''));
    const old = same.find(({ value }) => value.tag === entry.tag) ?? same[0];
    if (!old) return linesOf(entry, indent, style.print);
    free.delete(old);
    return [...old.above, ...(changed(old, entry, style.print) ?? linesOf(entry, indent, style.print))];
  });
}

function itemsOf(body: readonly string[], indent: number): Item[] | undefined {
  const items: { above: string[]; lines: string[] }[] = [];
  let above: string[] = [];
  for (const line of body) {
    const isStart = isContent(line) && indentOf(line) === indent && line.slice(indent).startsWith('- ');
    if (isStart) {
      items.push({ above, lines: [line] });
      above = [];
    } else if (!isContent(line)) above.push(line);
    else {
      const last = items.at(-1);
      if (!last || indentOf(line) <= indent) return undefined;
      last.lines.push(...above, line);
      above = [];
    }
  }
  const read = items.flatMap((item): Item[] => {
    const value = readValue(item.lines);
    return value ? [{ ...item, value }] : [];
  });
  return read.length === items.length ? read : undefined;
}

function readValue(lines: readonly string[]): Item['value'] | undefined {
  try {
    const value = parse(lines.join('\n'), { duplicateKeys: 'reject' });
    const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
    return isObject(only) ? only : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of an item with another percentage and tag; undefined when it is written in another way. */
function changed({ lines, value }: Item, entry: Entry, print: ListStyle['print']): string[] | undefined {
  let next: string[] | undefined = [...lines];
  for (const key of ['percent', 'tag'] as const) {
    if (value[key] === entry[key]) continue;
    next = next && withField(next, key, entry[key], print);
  }
  return next;
}

function withField(
  lines: readonly string[],
  key: string,
  value: string | number | undefined,
  print: ListStyle['print'],
): string[] | undefined {
  const pattern = new RegExp(`^(\\s*(?:- )?\\s*${key}:\\s+)([^\\s#]+)(\\s.*)?$`);
  const at = lines.findIndex((line) => pattern.test(line));
  if (value === undefined) {
    if (at < 1) return undefined; // the first line holds the mark of the item
    return lines.toSpliced(at, 1);
  }
  if (at >= 0) {
    const line = (lines[at] ?? '').replace(pattern, (_all, before: string, _old, after: string = '') => {
      return `${before}${print(value)}${after}`;
    });
    return lines.with(at, line);
  }
  const inner = (/^\s*- +/.exec(lines[0] ?? '')?.[0] ?? '').length;
  if (inner === 0) return undefined;
  return [...lines, `${' '.repeat(inner)}${key}: ${print(value)}`];
}
