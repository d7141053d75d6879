import { equal, FairleadError, isObject, type JsonObject, printJson } from '#base/std';
import { isEmptyValue } from '../template/merge-template.ts';
import { setField } from './flatten.ts';
import { goValueText } from './go-value-text.ts';
import type { SetParameters, TemplateMode } from './set-parameters.ts';

/**
 * compat sources ASM-4: one set of each child of a matrix, united. In flat mode one name with two values is InvalidSpec; in
 * Go mode the first child wins unless its value is empty.
 */
export function combineMatrix(
  first: SetParameters,
  second: SetParameters,
  mode: TemplateMode,
): SetParameters {
  return mode === 'go' ? mergeDeep(second, first) : unite(first, second);
}

function unite(a: SetParameters, b: SetParameters): SetParameters {
  for (const [name, value] of Object.entries(a)) {
    if (Object.hasOwn(b, name) && !equal(b[name], value)) {
      throw new FairleadError(
        'InvalidSpec',
        `found duplicate key ${name} with different value, a: ${goValueText(value)} ,b: ${goValueText(b[name])}; ` +
          'rename one of them, for a git generator with pathParamPrefix',
      );
    }
  }
  return { ...a, ...b };
}

/** Maps are merged; another value overrides unless it is empty. */
function mergeDeep(base: SetParameters, over: SetParameters): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const present = Object.hasOwn(base, name) ? base[name] : undefined;
    if (isObject(present) && isObject(value)) setField(merged, name, mergeDeep(present, value));
    else if (!isEmptyValue(value) || isEmptyValue(present)) setField(merged, name, value);
  }
  return merged;
}

/**
 * compat sources ASR-1 … ASR-4: the sets of the first child, in its order (dev sources DEV-22), each overridden by the sets of the
 * later children with the same key. Sets of later children without a counterpart are dropped. Throws InvalidSpec.
 */
export function mergeChildren(
  children: readonly (readonly SetParameters[])[],
  mergeKeys: readonly string[],
  mode: TemplateMode,
): SetParameters[] {
  const [base = [], ...others] = children.map((sets) => byKey(sets, mergeKeys));
  const merged = new Map(base);
  for (const sets of others) {
    for (const [key, set] of sets) {
      const present = merged.get(key);
      if (present) merged.set(key, mode === 'go' ? mergeDeep(present, set) : { ...present, ...set });
    }
  }
  return [...merged.values()];
}

function byKey(sets: readonly SetParameters[], mergeKeys: readonly string[]): Map<string, SetParameters> {
  const found = new Map<string, SetParameters>();
  for (const set of sets) {
    const key = keyOf(set, mergeKeys);
    if (found.has(key)) {
      throw new FairleadError(
        'InvalidSpec',
        'the parameters from a generator were not unique by the given mergeKeys, Merge requires all param sets to be ' +
          `unique. Duplicate key was ${key}`,
      );
    }
    found.set(key, set);
  }
  return found;
}

/** compat sources ASR-2: names are top-level names, also with dots; a missing one counts as null. */
function keyOf(set: SetParameters, mergeKeys: readonly string[]): string {
  const names = [...new Set(mergeKeys)].sort();
  return printJson(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(set, name) ? sorted(set[name]) : null])),
  );
}

/** Go prints the keys of maps in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
