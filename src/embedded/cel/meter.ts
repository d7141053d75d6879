import { FairleadError } from '#base/std';
import type { CelType } from './cel-type.ts';
import { type CelValue, ListValue, MapValue, ObjectValue, OptionalValue } from './value.ts';

/** The cost limit of an evaluation; exceeding it ends the evaluation, and no operator absorbs that. */
export class CelMeter {
  readonly #limit: number;
  #cost = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
  }
}

/** An expression that exceeds its cost limit. */
export class CostExceeded extends FairleadError {
  constructor() {
    super('LimitExceeded', 'operation cancelled: actual cost limit exceeded');
  }
}

/** The size of a value in the cost model: elements, characters or bytes; everything else is 1. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof MapValue) return value.entries.size;
  if (value instanceof ObjectValue) return value.fields.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OptionalValue && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** The number of code points, which CEL counts as characters. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
    }
  }
  return count;
}

const perCharacter = 0.1;
const perPatternCharacter = 0.25;

export const traversal = (value: CelValue | undefined, times = 1): number =>
  Math.ceil(sizeOf(value) * times * perCharacter);

/** The cost of matching a pattern against a text. */
export const matching = (textSize: number, patternSize: number): number =>
  Math.ceil((1 + textSize) * perCharacter) * Math.ceil(patternSize * perPatternCharacter);

/** The cost of constructing a list from `size` elements, each at that cost. */
export const listWork = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + 10;

/** The cost of comparing two values is the size of the smaller one. */
export const comparison = (args: readonly CelValue[]): number =>
  Math.min(traversal(args[0]), traversal(args[1]));

const oneElement = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** Whether all values of a type are of size 1. */
export const isConstantSized = (type: CelType | undefined): boolean =>
  type?.is === 'type' || (type?.is === 'simple' && oneElement.has(type.name));
