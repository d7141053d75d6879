import { isFields, setKey } from './own.ts';

type Fields = Record<string, unknown>;

/** The mappings that a `<<` names; undefined when it names anything else. */
function sources(value: unknown): Fields[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.every(isFields) ? list : undefined;
}

/**
 * compat: go-yaml v2 merges at the position of `<<`, so it overrides the keys above it and the keys below
 * override it; of several mappings the first wins. False when there is nothing that can be merged.
 */
export function mergeOver(fields: Fields, value: unknown): boolean {
  const from = sources(value);
  for (const source of from?.reverse() ?? []) {
    for (const key of Object.keys(source)) setKey(fields, key, source[key]);
  }
  return from !== undefined;
}

/** compat: go-yaml v3 merges last, beneath the mapping's own keys; of several mappings the first wins. */
export function mergeUnder(fields: Fields, value: unknown): boolean {
  const from = sources(value);
  for (const source of from ?? []) {
    for (const key of Object.keys(source)) if (!Object.hasOwn(fields, key)) setKey(fields, key, source[key]);
  }
  return from !== undefined;
}
