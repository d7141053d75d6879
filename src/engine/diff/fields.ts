import type { KubeObject } from '#base/model';
import { equal } from '#base/std';
import { isObject } from '#kubernetes/schema';
import { type FieldWriter, writerOf } from './blame.ts';
import { printPointer } from './pointer.ts';

/** One field that differs. A side on which the field is missing has no value here. */
export type FieldDifference = {
  /** A JSON pointer, usable as an ignore rule as it stands. */
  readonly path: string;
  readonly target?: unknown;
  readonly live?: unknown;
  /** The field manager that wrote the live value last. */
  readonly writer?: FieldWriter;
};

type Found = {
  readonly path: readonly (string | number)[];
  readonly target: unknown;
  readonly live: unknown;
};

/**
 * Every deepest path where the two differ, in document order. `source` is the live object with its
 * managedFields.
 */
export function differences(predicted: unknown, live: unknown, source: KubeObject): FieldDifference[] {
  const found: Found[] = [];
  collect(predicted, live, [], found);
  return found.map(({ path, target, live: held }) => {
    const writer = writerOf(source, path);
    return {
      path: printPointer(path),
      ...(target !== undefined && { target }),
      ...(held !== undefined && { live: held }),
      ...(writer && { writer }),
    };
  });
}

function collect(target: unknown, live: unknown, path: readonly (string | number)[], found: Found[]): void {
  if (equal(target, live)) return;
  if (isObject(target) && isObject(live)) {
    const keys = new Set([...Object.keys(target), ...Object.keys(live)]);
    for (const key of [...keys].sort()) collect(target[key], live[key], [...path, key], found);
  } else if (Array.isArray(target) && Array.isArray(live)) {
    const length = Math.max(target.length, live.length);
    for (let at = 0; at < length; at++) collect(target[at], live[at], [...path, at], found);
  } else {
    found.push({ path, target, live });
  }
}
