import { isFault } from './function-table.ts';
import type { Expr } from './syntax.ts';
import {
  CelError,
  type CelValue,
  keyText,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  typeNameOf,
} from './value.ts';

/** Conversions that are run at compile time on constants. */
export const conversions = new Set('bool bytes double duration int string timestamp type uint'.split(' '));

/** compat: a constant expression costs nothing. */
export function isConstantExpr(expr: Expr): boolean {
  switch (expr.is) {
    case 'const':
      return true;
    case 'list':
      return expr.optional.size === 0 && expr.items.every(isConstantExpr);
    case 'map':
      return expr.entries.every(
        ({ key, value, optional }) => !optional && isConstantExpr(key) && isConstantExpr(value),
      );
    case 'call':
      return (
        conversions.has(expr.name) &&
        expr.target === undefined &&
        expr.args.every((arg) => arg.is === 'const')
      );
    default:
      return false;
  }
}

const notOptional = (value: CelValue): CelError =>
  new CelError(`cannot initialize optional list element from non-optional value ${typeNameOf(value)}`);

/** Adds an item of a list literal; an absent optional one is left out. */
export function addItem(values: CelValue[], value: CelValue, optional: boolean): CelError | undefined {
  if (isFault(value)) return value;
  if (!optional) values.push(value);
  else if (!(value instanceof OptionalValue)) return notOptional(value);
  else if (value.value !== undefined) values.push(value.value);
  return undefined;
}

type Entry = { readonly key: CelValue; readonly value: CelValue; readonly optional: boolean };

/** Adds an entry of a map literal; of duplicate keys the last one counts. */
export function addEntry(
  made: Map<string, readonly [CelValue, CelValue]>,
  entry: Entry,
): CelError | undefined {
  const { key } = entry;
  if (isFault(key)) return key;
  const values: CelValue[] = [];
  const wrong = addItem(values, entry.value, entry.optional);
  const [value] = values;
  if (wrong || value === undefined) return wrong;
  const text = keyText(key);
  if (text === undefined) return new CelError(`unsupported key type: ${typeNameOf(key)}`);
  made.set(text, [key, value]);
  return undefined;
}

function* listPairs(list: ListValue): Generator<readonly [CelValue, CelValue]> {
  for (const [index, value] of list.items.entries()) yield [BigInt(index), value];
}

/**
 * The elements that a comprehension iterates over: items, or keys and values; undefined when the value is not
 * iterable.
 */
export function iterate(value: CelValue, both: boolean): Iterable<readonly [CelValue, CelValue]> | undefined {
  if (value instanceof ListValue) {
    return both ? listPairs(value) : value.items.map((item) => [item, item] as const);
  }
  if (value instanceof MapValue) return value.entries.values();
  return value instanceof ObjectValue ? value.fields : undefined;
}
