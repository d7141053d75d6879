import { isObject, type JsonObject } from '#base/std';
import type { Shape } from './shape.ts';

/** A field that a user wrote and nothing reads. */
export type UnknownField = {
  /** Where it stands: `spec.source.hlem`. */
  readonly path: string;
  /** What was probably meant, or what there is. */
  readonly advice: string;
};

/**
 * The value without the fields that the shape does not name, and the very same value where there are none; `found` gets
 * each with its path. What a shape leaves open (`any`, `map`, an object without fields) is kept as it is.
 */
export function withoutUnknown(value: unknown, shape: Shape, path: string, found: UnknownField[]): unknown {
  if (isList(shape)) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item, at) => withoutUnknown(item, shape[0], `${path}[${at}]`, found));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (typeof shape !== 'object' || !isObject(value)) return value;
  const names = Object.keys(shape);
  return names.length === 0 ? value : knownOf(value, shape, path, found);
}

type Fields = Extract<Shape, { readonly [name: string]: Shape }>;

function knownOf(value: JsonObject, fields: Fields, path: string, found: UnknownField[]): JsonObject {
  const entries = Object.entries(value);
  const kept = entries.flatMap(([name, inner]): [string, unknown][] => {
    const below = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (below !== undefined) return [[name, withoutUnknown(inner, below, `${path}.${name}`, found)]];
    found.push({ path: `${path}.${name}`, advice: adviceFor(name, Object.keys(fields)) });
    return [];
  });
  const isSame = kept.length === entries.length && kept.every(([name, inner]) => inner === value[name]);
  return isSame ? value : (Object.fromEntries(kept) as JsonObject);
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Why an unknown field is refused. */
export const unknownFieldText = ({ path, advice }: UnknownField): string =>
  `${path} is not a field; ${advice}`;

/** That an unknown field is ignored. */
export const ignoredFieldText = ({ path, advice }: UnknownField): string =>
  `${path} is not a field and has no effect; ${advice}`;

/** The field that was probably meant: the same letters, or all but one or two. */
function adviceFor(name: string, known: readonly string[]): string {
  const letters = (text: string): string => text.toLowerCase().replace(/s$/, '');
  const same = known.find((one) => letters(one) === letters(name));
  const meant = same ?? known.find((one) => isNear(one.toLowerCase(), name.toLowerCase()));
  return meant ? `did you mean ${meant}?` : `there are ${known.join(', ')}`;
}

/** One letter was left out, added, exchanged or swapped with its neighbour; short names are too much alike to guess. */
function isNear(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return (
    isSwapped || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)
  );
}
