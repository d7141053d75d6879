import { positionOf } from './number.ts';
import { JqError, type Run } from './run.ts';
import { article, clampSlice, sliceBounds } from './step.ts';
import { isMap, isNumber, type JsonMap, type JsonValue, put } from './value.ts';

/** Marks a deleted value until all paths are done, so that positions do not shift meanwhile. */
const gone: JsonValue = {};

/** compat gojq: a larger position is an error, not a longer list. */
const maxPosition = 0x8000000;

/**
 * A series of changes to one value. The input is never touched: what lies on a changed path is copied once, the rest is
 * shared with the input.
 */
export class JqEdit {
  #value: JsonValue;
  readonly #run: Run;
  /** The current change: its path, and the new value. */
  #path: readonly JsonValue[] = [];
  #leaf: JsonValue = null;
  /** Copies made by this edit, which may be changed in place. */
  readonly #owned = new Set<JsonValue>();

  constructor(run: Run, value: JsonValue) {
    this.#run = run;
    this.#value = value;
  }

  get value(): JsonValue {
    return this.#value;
  }

  set(path: JsonValue, value: JsonValue): void {
    this.#path = asPath(path);
    this.#leaf = value;
    this.#value = this.#update(this.#value, 0);
  }

  /** The value without the given paths; positions are those before the first is removed. */
  without(paths: Iterable<JsonValue>): JsonValue {
    for (const path of paths) this.set(path, gone);
    this.#value = this.#sweep(this.#value);
    return this.#value;
  }

  /** The value with the leaf at what remains of the path. */
  #update(value: JsonValue, depth: number): JsonValue {
    this.#run.step();
    if (depth === this.#path.length) return this.#leaf;
    if (value === gone) return gone;
    const key = this.#path[depth] ?? null;
    if (typeof key === 'string') return this.#updateField(value, key, depth + 1);
    if (isNumber(key)) return this.#updatePosition(value, positionOf(key), depth + 1);
    if (isMap(key)) return this.#updateSlice(value, key, depth + 1);
    throw new JqError(`${article(key)} cannot be a step of a path`);
  }

  #updateField(value: JsonValue, key: string, depth: number): JsonValue {
    if (value !== null && !isMap(value)) {
      throw new JqError(`cannot change a field of ${article(value)}, it needs an object`);
    }
    const present = value !== null && Object.hasOwn(value, key);
    // dev engine D-12: deleting inside null leaves null, where gojq puts an empty object that may not fit the next path
    if (!present && this.#leaf === gone) return value;
    const before = present ? (value[key] ?? null) : null;
    const after = this.#update(before, depth);
    if (present && after === before) return value;
    const copy = this.#ownMap(value);
    put(copy, key, after);
    return copy;
  }

  #updatePosition(value: JsonValue, position: number, depth: number): JsonValue {
    const list = listOf(value);
    const at = position < 0 ? position + list.length : position;
    const present = at >= 0 && at < list.length;
    if (!present && this.#leaf === gone) return value;
    if (at < 0) throw new JqError(`position ${position} is before the beginning of the array`);
    if (at >= maxPosition) throw new JqError(`position ${position} is too large for an array`);
    const before = list[at] ?? null;
    const after = this.#update(before, depth);
    if (present && after === before) return value;
    const copy = this.#ownList(value, Math.max(0, at + 1 - list.length));
    while (copy.length < at) copy.push(null);
    copy[at] = after;
    return copy;
  }

  #updateSlice(value: JsonValue, key: JsonMap, depth: number): JsonValue {
    const list = listOf(value);
    const { start, end } = sliceBounds(key);
    const [from, to] = clampSlice(list.length, boundOf(start), boundOf(end));
    if (from === to && this.#leaf === gone) return value;
    const after = this.#update(list.slice(from, to), depth);
    const copy = this.#ownList(value, 0);
    if (after === gone) return copy.fill(gone, from, to);
    if (!Array.isArray(after)) throw new JqError(`a slice is replaced by an array, not by ${article(after)}`);
    this.#run.take(8 * after.length);
    this.#run.step(copy.length >> 4);
    const result = [...copy.slice(0, from), ...after, ...copy.slice(to)];
    this.#owned.add(result);
    return result;
  }

  #ownMap(value: JsonMap | null): JsonMap {
    if (value !== null && this.#owned.has(value)) return value;
    const copy = { ...value };
    this.#run.step(Object.keys(copy).length >> 1);
    this.#owned.add(copy);
    return copy;
  }

  #ownList(value: JsonValue, grown: number): JsonValue[] {
    this.#run.take(8 * grown);
    if (Array.isArray(value) && this.#owned.has(value)) return value;
    const copy = Array.isArray(value) ? value.slice() : [];
    this.#run.step(copy.length >> 4);
    this.#owned.add(copy);
    return copy;
  }

  /** Only values that this edit copied can contain a deletion mark. */
  #sweep(value: JsonValue): JsonValue {
    if (value === gone) return null;
    if (typeof value !== 'object' || value === null || !this.#owned.has(value)) return value;
    this.#owned.delete(value);
    if (Array.isArray(value)) return value.filter((item) => item !== gone).map((item) => this.#sweep(item));
    const kept: JsonMap = {};
    for (const key of Object.keys(value)) {
      const field = value[key] ?? null;
      if (field !== gone) put(kept, key, this.#sweep(field));
    }
    return kept;
  }
}

function asPath(path: JsonValue): readonly JsonValue[] {
  if (Array.isArray(path)) return path;
  throw new JqError(`a path is an array, not ${article(path)}`);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new JqError(`cannot change a position of ${article(value)}, it needs an array`);
}

/** compat gojq: when a slice is changed, a bound that is no number is no bound. */
const boundOf = (value: JsonValue): number | undefined => (isNumber(value) ? positionOf(value) : undefined);
