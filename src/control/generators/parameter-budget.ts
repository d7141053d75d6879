import { FairleadError, isObject } from '#base/std';
import type { SetParameters } from '#engine';

/** The approximate size of all parameters of one set, those of nested generators included. */
const mostBytes = 128 * 1024 * 1024;

/** Counts the size of what one evaluation produces. */
export class ParameterBudget {
  #bytes = 0;

  /** Throws LimitExceeded when these sets are more than the evaluation may have. */
  spend(sets: readonly SetParameters[]): void {
    for (const set of sets) this.#bytes += sizeOf(set);
    if (this.#bytes > mostBytes)
      throw new FairleadError(
        'LimitExceeded',
        `the parameters have more than ${mostBytes} bytes: produce fewer or smaller ones, or divide the set`,
      );
  }
}

const sizes = new WeakMap<object, number>();

/** Parameter sets never change, so each is measured once. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else if (isObject(value)) for (const key in value) size += key.length + sizeOf(value[key]);
  sizes.set(value, size);
  return size;
}
