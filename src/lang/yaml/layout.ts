import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  SCALAR_STYLE,
  type ScalarEvent,
} from 'js-yaml/browser';
import { keyText, resolvePlain } from './dialect.ts';
import { readEvents } from './events.ts';
import { defaultLimits } from './limits.ts';
import { splitStream } from './split.ts';

/** The way to a node from the root of a document: names of fields and indexes of items. */
export type YamlPath = readonly (string | number)[];

/** Where something stands in a text: line and column from 1, and UTF-16 offsets. */
type YamlSpan = {
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
};

/** A node of a document as it is written. */
export type YamlNode = {
  readonly is: 'scalar' | 'mapping' | 'sequence' | 'alias';
  /** A flow collection, or a scalar by how it is quoted. */
  readonly style: 'block' | 'flow' | 'plain' | 'single' | 'double' | 'folded';
  /** Of a block collection: its first character only. */
  readonly span: YamlSpan;
  /** The key of a field. */
  readonly key: YamlSpan | undefined;
  readonly fields: ReadonlyMap<string, YamlNode> | undefined;
  readonly items: readonly YamlNode[] | undefined;
};

/** The result of a search: the deepest node on the way that is written down. */
type YamlPlace = {
  readonly node: YamlNode;
  /** The whole path was found. */
  readonly isWhole: boolean;
  /** The way led through an alias or a merge: a change there would change other nodes as well. */
  readonly isShared: boolean;
};

/** How one document is written: where each of its nodes stands. */
export type YamlLayout = {
  /** The line of its first node. */
  readonly line: number;
  /** Offsets and columns are those of the text itself; without it only lines are. */
  readonly isExact: boolean;
  /** The node of a path, or of its longest beginning that exists. */
  find(path: YamlPath): YamlPlace | undefined;
};

/**
 * The layouts of the documents of a stream, in the order in which readDocuments returns them. Throws for a text that cannot be
 * read.
 */
export function layoutsOf(text: string): YamlLayout[] {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const whole = text.slice(start);
  const found: YamlLayout[] = [];
  for (const chunk of splitStream(whole)) {
    const read = readEvents(chunk.text, defaultLimits);
    if (read.events.length === 0) continue;
    const isExact = read.text === chunk.text;
    const builder = new LayoutBuilder(read.text, chunk.line, isExact ? start + chunk.offset : 0);
    found.push(layoutOf(builder.run(read.events), { line: chunk.line, isExact }));
  }
  return found;
}

function layoutOf(root: YamlNode | undefined, { line, isExact }: Omit<YamlLayout, 'find'>): YamlLayout {
  return {
    line: root?.span.line ?? line,
    isExact,
    find: (path) => (root ? search(root, path) : undefined),
  };
}

function search(root: YamlNode, path: YamlPath): YamlPlace {
  let node = root;
  for (const [at, step] of path.entries()) {
    const below = typeof step === 'number' ? node.items?.[step] : node.fields?.get(step);
    const next = below ?? (typeof step === 'string' ? node.fields?.get('<<') : undefined);
    if (!next) return { node, isWhole: false, isShared: false };
    node = next;
    if (!below || next.is === 'alias')
      return { node, isWhole: below !== undefined && at === path.length - 1, isShared: true };
  }
  return { node, isWhole: true, isShared: false };
}

type Open = {
  readonly node: YamlNode;
  readonly fields: Map<string, YamlNode> | undefined;
  readonly items: YamlNode[] | undefined;
  key: { readonly text: string; readonly span: YamlSpan } | undefined;
};

const styles = {
  [SCALAR_STYLE.PLAIN]: 'plain',
  [SCALAR_STYLE.SINGLE_QUOTED]: 'single',
  [SCALAR_STYLE.DOUBLE_QUOTED]: 'double',
  [SCALAR_STYLE.LITERAL_BLOCK]: 'folded',
  [SCALAR_STYLE.FOLDED_BLOCK]: 'folded',
} as const;

/** Builds the nodes of one document from its events. */
class LayoutBuilder {
  readonly #text: string;
  readonly #starts: readonly number[];
  readonly #line: number;
  readonly #offset: number;
  readonly #stack: Open[] = [];
  #root: YamlNode | undefined;

  constructor(text: string, line: number, offset: number) {
    this.#text = text;
    this.#line = line;
    this.#offset = offset;
    this.#starts = lineStarts(text);
  }

  run(events: readonly Event[]): YamlNode | undefined {
    for (const event of events) {
      if (event.type === EVENT_ID.POP) this.#stack.pop();
      else if (event.type !== EVENT_ID.DOCUMENT) this.#take(event);
    }
    return this.#root;
  }

  #take(event: Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>): void {
    const top = this.#stack.at(-1);
    if (event.type === EVENT_ID.SCALAR) this.#scalar(event, top);
    else if (event.type === EVENT_ID.ALIAS) {
      const span = this.#span(event.anchorStart - 1, event.anchorEnd);
      this.#put(top, { is: 'alias', style: 'plain', span, ...bare, key: top?.key?.span }, undefined);
    } else {
      const isList = event.type === EVENT_ID.SEQUENCE;
      const fields = isList ? undefined : new Map<string, YamlNode>();
      const items: YamlNode[] | undefined = isList ? [] : undefined;
      const node: YamlNode = {
        is: isList ? 'sequence' : 'mapping',
        style: event.style === COLLECTION_STYLE.FLOW ? 'flow' : 'block',
        span: this.#span(event.start, event.start + 1),
        key: top?.key?.span,
        fields,
        items,
      };
      this.#put(top, node, undefined);
      this.#stack.push({ node, fields, items, key: undefined });
    }
  }

  #scalar(event: ScalarEvent, top: Open | undefined): void {
    const style = styles[event.style];
    const isQuoted = style === 'single' || style === 'double';
    const start = event.valueStart - (isQuoted && this.#isQuote(event.valueStart - 1) ? 1 : 0);
    const end = event.valueEnd + (isQuoted && this.#isQuote(event.valueEnd) ? 1 : 0);
    const at = event.valueStart < 0 ? (top?.key?.span.end ?? this.#offset) - this.#offset : start;
    const span = this.#span(at, event.valueStart < 0 ? at : end);
    const source = event.valueStart < 0 ? '' : getScalarValue(this.#text, event);
    this.#put(top, { is: 'scalar', style, span, ...bare, key: top?.key?.span }, () =>
      style === 'plain' ? (keyText(resolvePlain(source, 'v2'), source, 'v2') ?? source) : source,
    );
  }

  #isQuote = (at: number): boolean => this.#text[at] === '"' || this.#text[at] === "'";

  /** Adds a node to its parent: as an item, as a key, or as the value of the last key. */
  #put(top: Open | undefined, node: YamlNode, key: (() => string) | undefined): void {
    if (!top) this.#root ??= node;
    else if (top.items) top.items.push(node);
    else if (top.key === undefined) top.key = { text: key?.() ?? '', span: node.span };
    else {
      top.fields?.set(top.key.text, node);
      top.key = undefined;
    }
  }

  #span(start: number, end: number): YamlSpan {
    const { line, column } = positionIn(this.#starts, start);
    return {
      line: this.#line + line - 1,
      column,
      start: this.#offset + start,
      end: this.#offset + Math.max(start, end),
    };
  }
}

const bare = { key: undefined, fields: undefined, items: undefined } as const;

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionIn(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
