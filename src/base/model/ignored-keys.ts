import { named } from './shape.ts';
import { type UnknownField, withoutUnknown } from './unknown-fields.ts';

/** A key of a Secret that a user wrote and that has no effect; its value is never shown. */
export type IgnoredKey = { readonly key: string; readonly message: string };

/** The keys that are not among the known ones. */
export function unknownKeys(data: Readonly<Record<string, string>>, known: readonly string[]): IgnoredKey[] {
  const found: UnknownField[] = [];
  withoutUnknown(data, named('any', known.join(' ')), 'data', found);
  return ignoredKeys(found);
}

export const ignoredKeys = (found: readonly UnknownField[]): IgnoredKey[] =>
  found.map(({ path, advice }) => ({
    key: path.replace(/^data\./, ''),
    message: `no effect: there is no such key; ${advice}`,
  }));
