import { isObject, type JsonObject } from '#base/std';

/**
 * The shape of a field. `name` is text that is empty where it is missing, a list is written `[shape]`, an
 * object by its fields, `map` is text by name; `any` is not checked. Fields that are not named are kept as
 * they are.
 */
export type Shape = 'text' | 'name' | 'flag' | 'number' | 'map' | 'any' | readonly [Shape] | Fields;
type Fields = { readonly [name: string]: Shape };

/** Fields of one shape, by their names. */
export const named = (shape: Shape, names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, shape]));

/**
 * The value with every null left out, as Go reads it, and the very same value where there is none. A value of
 * another type is reported with its path and left out.
 */
export function shaped(value: unknown, shape: Shape, place: string, problems: string[]): unknown {
  if (value === null || value === undefined || shape === 'any') return value ?? undefined;
  if (isList(shape)) return shapedList(value, shape[0], place, problems);
  if (typeof shape === 'object' || shape === 'map') {
    if (isObject(value)) return shapedObject(value, shape === 'map' ? undefined : shape, place, problems);
    return refuse(place, 'an object', value, problems);
  }
  return typeOf(value) === types[shape] ? value : refuse(place, words[shape], value, problems);
}

const typeOf = (value: unknown): string => (typeof value === 'bigint' ? 'number' : typeof value);

function shapedList(value: unknown, shape: Shape, place: string, problems: string[]): unknown {
  if (!Array.isArray(value)) return refuse(place, 'a list', value, problems);
  return same(
    value,
    value.map((one, i) => shaped(one, shape, `${place}[${i}]`, problems)),
  );
}

/** Without fields every value is text. */
function shapedObject(
  value: JsonObject,
  fields: Fields | undefined,
  place: string,
  problems: string[],
): unknown {
  const shapeOf = (name: string): Shape =>
    (fields && Object.hasOwn(fields, name) ? fields[name] : undefined) ?? 'any';
  const read = Object.entries(value).map(
    ([name, inner]) =>
      [name, shaped(inner, fields ? shapeOf(name) : 'text', `${place}.${name}`, problems)] as const,
  );
  const missing = Object.entries(fields ?? {}).filter(
    ([name, shape]) => shape === 'name' && (value[name] === undefined || value[name] === null),
  );
  if (missing.length === 0 && read.every(([name, inner]) => inner === value[name])) return value;
  return Object.fromEntries([
    ...read.filter(([, inner]) => inner !== undefined),
    ...missing.map(([name]) => [name, ''] as const),
  ]);
}

function same(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((one, i) => one !== undefined && one === before[i])
    ? before
    : after.filter((one) => one !== undefined);
}

function refuse(place: string, wanted: string, value: unknown, problems: string[]): undefined {
  problems.push(`${place} must be ${wanted}, not ${wordFor(value)}`);
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
const types = { text: 'string', name: 'string', flag: 'boolean', number: 'number' } as const;
const words = { text: 'text', name: 'text', flag: 'true or false', number: 'a number' } as const;

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  const word = Object.entries(types).find(([, type]) => type === typeof value)?.[0];
  return word ? words[word as keyof typeof words] : 'a number';
}
