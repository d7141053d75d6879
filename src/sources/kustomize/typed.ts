import { decline } from './decline.ts';
import { asFields, type FieldMap } from './values.ts';

export type Pairs = Readonly<Record<string, string>>;

/** Declines fields that are not named here. Names are exact, though kustomize accepts them in any case. */
export function only(value: FieldMap, names: string): void {
  const allowed = names.split(' ');
  const other = Object.keys(value).find((key) => !allowed.includes(key));
  if (other !== undefined) decline(`the field ${other}`);
}

/** The fields by their names here. compat: kustomize accepts names in any case. */
export function fold(value: FieldMap, names: string): FieldMap {
  const byName = new Map(names.split(' ').map((name) => [name.toLowerCase(), name]));
  const result: FieldMap = {};
  for (const key of Object.keys(value)) {
    // Go's case folding may map other characters to letters
    const name = /^\w+$/.test(key) ? byName.get(key.toLowerCase()) : undefined;
    if (name === undefined) decline(`the field ${key}`);
    if (Object.hasOwn(result, name)) decline(`the field ${name}, twice`);
    result[name] = value[key];
  }
  return result;
}

export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** Empty when absent. */
export function textIn(value: unknown): string {
  if (isAbsent(value)) return '';
  return typeof value === 'string' ? value : decline('something where a text should be');
}

/** False when absent. */
export function flag(value: unknown): boolean {
  if (isAbsent(value)) return false;
  return typeof value === 'boolean' ? value : decline('something where true or false should be');
}

export function list<T>(value: unknown, read: (item: FieldMap) => T): T[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) decline('something where a list should be');
  return value.map((item) => read(asFields(item, 'an entry')));
}

export function texts(value: unknown): string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) decline('something where a list should be');
  return value.map((item) => (typeof item === 'string' ? item : decline('an entry that is no text')));
}

export function pairs(value: unknown): Pairs {
  if (isAbsent(value)) return {};
  const found = Object.entries(asFields(value, 'pairs'));
  return Object.fromEntries(
    found.map(([key, inner]) => {
      if (key === '__proto__' || key === '') decline('an odd key');
      return [key, typeof inner === 'string' ? inner : decline('a pair that is no text')];
    }),
  );
}
