import {
  type AliasEvent,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml/browser';
import { type Dialect, keyText, resolvePlain } from './dialect.ts';
import { YamlError } from './fault.ts';
import type { YamlBudget } from './limits.ts';
import { mergeOver, mergeUnder } from './merge.ts';
import { copy, setKey } from './own.ts';
import { coreName, resolveExplicit, type TagHandles, tagHandles } from './tags.ts';

/** How repeated keys are treated: Go's lenient readers let the last one win, its strict ones refuse. */
export type DuplicateKeys = 'lastWins' | 'reject';

export type ComposeOptions = {
  readonly text: string;
  readonly dialect: Dialect;
  readonly duplicateKeys: DuplicateKeys;
  readonly budget: YamlBudget;
};

/** The value of an anchor. `done` becomes true when its collection has been read to the end. */
type Anchor = { value: unknown; key: string | undefined; nodes: number; height: number; done: boolean };

/** One collection, or the document itself, while it is being read. */
type Frame = {
  readonly items: unknown[] | undefined;
  readonly fields: Record<string, unknown> | undefined;
  readonly anchor: Anchor | undefined;
  readonly nodesBefore: number;
  height: number;
  key: string | undefined;
  keyOffset: number;
  /** The key just read is `<<`. */
  merges: boolean;
  /** v3 only: what `<<` named, to be merged when all the mapping's own keys are known. */
  late: unknown;
};

const absent = -1;
const mergeKey = '<<';
const unusableKey = 'null, a list or a mapping cannot be a key';

/**
 * Converts one document's events into plain values, with Go's reading of scalars, keys, aliases and merges.
 */
export class Composer {
  readonly #reading: ComposeOptions;
  readonly #handles: TagHandles;
  readonly #anchors = new Map<string, Anchor>();
  readonly #stack: Frame[] = [];
  readonly #root: unknown[] = [];
  #top: Frame;

  constructor(reading: ComposeOptions, start: Event | undefined) {
    this.#reading = reading;
    this.#handles = tagHandles(start?.type === EVENT_ID.DOCUMENT ? start.directives : []);
    this.#top = frame(this.#root, undefined, undefined, 0);
  }

  /** The value of the document that starts before `events[from]`. Throws Fault. */
  run(events: readonly Event[], from: number): unknown {
    for (let index = from; index < events.length; index++) {
      const event = events[index];
      if (event === undefined || (event.type === EVENT_ID.POP && this.#stack.length === 0)) break;
      this.#take(event);
    }
    return this.#root[0] ?? null;
  }

  #take(event: Event): void {
    if (event.type === EVENT_ID.SCALAR) this.#scalar(event);
    else if (event.type === EVENT_ID.POP) this.#close();
    else if (event.type === EVENT_ID.ALIAS) this.#alias(event);
    else if (event.type !== EVENT_ID.DOCUMENT) this.#open(event);
  }

  #open(event: SequenceEvent | MappingEvent): void {
    const nodesBefore = this.#reading.budget.nodes;
    this.#spend(1, event.start);
    if (this.#expectsKey()) throw new YamlError('RenderFailed', event.start, unusableKey);
    const items: unknown[] | undefined = event.type === EVENT_ID.SEQUENCE ? [] : undefined;
    const fields: Record<string, unknown> | undefined = items ? undefined : {};
    const anchor = this.#anchor(event, {
      value: items ?? fields,
      key: undefined,
      nodes: 0,
      height: 0,
      done: false,
    });
    this.#stack.push(this.#top);
    this.#top = frame(items, fields, anchor, nodesBefore);
  }

  #close(): void {
    const closed = this.#top;
    const height = closed.height + 1;
    if (closed.late !== undefined && closed.fields && !mergeUnder(closed.fields, closed.late))
      throw notMergeable(closed);
    if (closed.anchor) {
      closed.anchor.nodes = this.#reading.budget.nodes - closed.nodesBefore;
      closed.anchor.height = height;
      closed.anchor.done = true;
    }
    this.#top = this.#stack.pop() ?? closed;
    this.#put(closed.fields ?? closed.items, height);
  }

  #scalar(event: ScalarEvent): void {
    this.#spend(1, event.valueStart);
    const source = scalarText(this.#reading.text, event);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    if (event.tagStart !== absent) this.#tagged(event, source, isPlain);
    else this.#place(event, source, isPlain ? resolvePlain(source, this.#reading.dialect) : source, isPlain);
  }

  #tagged(event: ScalarEvent, source: string, isPlain: boolean): void {
    const tag = this.#reading.text.slice(event.tagStart, event.tagEnd);
    const value = resolveExplicit({ source, tag, isPlain }, this.#handles, this.#reading.dialect);
    if (value === undefined)
      throw new YamlError('RenderFailed', event.tagStart, `the value does not fit its tag ${tag}`);
    this.#place(event, source, value, coreName(tag, this.#handles) === 'merge');
  }

  /** Adds a scalar to its parent: as a key, or as a value. */
  #place(event: ScalarEvent, source: string, value: unknown, mayMerge: boolean): void {
    const isKey = this.#expectsKey();
    const isAnchored = event.anchorStart !== absent;
    const key = isKey || isAnchored ? keyText(value, source, this.#reading.dialect) : undefined;
    if (isAnchored) this.#anchor(event, { value, key, nodes: 1, height: 0, done: true });
    if (isKey) {
      this.#putKey(
        key,
        mayMerge && source === mergeKey,
        event.valueStart === absent ? this.#top.keyOffset : event.valueStart,
      );
      return;
    }
    // compat sources POST-5: Go's JSON step refuses these too
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new YamlError(
        'RenderFailed',
        event.valueStart,
        `${source} has no JSON form: quote it to make it a string`,
      );
    }
    this.#put(value, 0);
  }

  #alias(event: AliasEvent): void {
    const { text, budget } = this.#reading;
    const name = text.slice(event.anchorStart, event.anchorEnd);
    const anchor = this.#anchors.get(name);
    // the name is not repeated: it may be a password that starts with *
    if (!anchor)
      throw new YamlError(
        'RenderFailed',
        event.anchorStart,
        'no anchor of this name above: quote a value that starts with *',
      );
    if (!anchor.done)
      throw new YamlError('RenderFailed', event.anchorStart, 'an anchor cannot contain itself');
    budget.aliases += 1;
    if (budget.aliases > budget.limits.aliases) {
      throw new YamlError('LimitExceeded', event.anchorStart, `more than ${budget.limits.aliases} aliases`);
    }
    this.#spend(anchor.nodes, event.anchorStart);
    if (this.#stack.length + anchor.height > budget.limits.depth) {
      throw new YamlError('LimitExceeded', event.anchorStart, `nested deeper than ${budget.limits.depth}`);
    }
    if (this.#expectsKey()) this.#putKey(anchor.key, false, event.anchorStart);
    else this.#put(copy(anchor.value), anchor.height);
  }

  #expectsKey(): boolean {
    const top = this.#top;
    return top.fields !== undefined && top.key === undefined && !top.merges;
  }

  #putKey(key: string | undefined, merges: boolean, offset: number): void {
    const top = this.#top;
    top.keyOffset = offset;
    if (key === undefined) throw new YamlError('RenderFailed', offset, unusableKey);
    if (this.#reading.duplicateKeys === 'reject') {
      const isTaken = merges ? top.late !== undefined : Object.hasOwn(top.fields ?? {}, key);
      if (isTaken)
        throw new YamlError(
          'RenderFailed',
          offset,
          `key ${JSON.stringify(key)} is defined twice in one mapping`,
        );
    }
    if (merges) top.merges = true;
    else top.key = key;
  }

  #put(value: unknown, height: number): void {
    const top = this.#top;
    if (height > top.height) top.height = height;
    if (top.items) {
      top.items.push(value);
    } else if (top.merges) {
      top.merges = false;
      this.#merge(top, value);
    } else if (top.fields && top.key !== undefined) {
      setKey(top.fields, top.key, value);
      top.key = undefined;
    }
  }

  #merge(top: Frame, value: unknown): void {
    if (this.#reading.dialect === 'v3') top.late = value;
    else if (!top.fields || !mergeOver(top.fields, value)) throw notMergeable(top);
  }

  #anchor(event: ScalarEvent | SequenceEvent | MappingEvent, anchor: Anchor): Anchor | undefined {
    if (event.anchorStart === absent) return undefined;
    this.#anchors.set(this.#reading.text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  #spend(nodes: number, offset: number): void {
    const { budget } = this.#reading;
    budget.nodes += nodes;
    if (budget.nodes > budget.limits.nodes) {
      throw new YamlError(
        'LimitExceeded',
        offset,
        `more than ${budget.limits.nodes} nodes, counting what aliases repeat`,
      );
    }
  }
}

const frame = (
  items: unknown[] | undefined,
  fields: Record<string, unknown> | undefined,
  anchor: Anchor | undefined,
  nodesBefore: number,
): Frame => ({
  items,
  fields,
  anchor,
  nodesBefore,
  height: 0,
  key: undefined,
  keyOffset: 0,
  merges: false,
  late: undefined,
});

/** compat: go-yaml ends a block scalar without a line break when the text itself does. js-yaml adds one. */
function scalarText(text: string, event: ScalarEvent): string {
  const value = getScalarValue(text, event);
  const isCut = event.valueEnd === text.length && event.style >= SCALAR_STYLE.LITERAL_BLOCK;
  return isCut && value.endsWith('\n') && !text.endsWith('\n') ? value.slice(0, -1) : value;
}

const notMergeable = (top: Frame): YamlError =>
  new YamlError('RenderFailed', top.keyOffset, `'${mergeKey}' needs a mapping or a list of mappings`);

/** Offset of the first content of a document; undefined when it is empty. */
export function firstOffset(event: Event | undefined): number | undefined {
  if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT)
    return undefined;
  const offsets = [event.anchorStart];
  if (event.type !== EVENT_ID.ALIAS) offsets.push(event.tagStart);
  if (event.type === EVENT_ID.SCALAR) offsets.push(event.valueStart);
  if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) offsets.push(event.start);
  const known = offsets.filter((offset) => offset !== absent);
  return known.length === 0 ? undefined : Math.min(...known);
}
