import { canonicalQuantity, quantityOf } from '#base/model';
import { isObject, type JsonObject, roundTrip, type StructType, type TypeNode } from '#kubernetes/schema';

/**
 * A value as Go's encoder prints its typed struct: fields in the order of the struct, keys of maps sorted, `<`, `>` and `&`
 * escaped. Fields that the type does not declare are dropped.
 */
export function printAsGo(value: JsonObject, type: StructType): string {
  return printed(roundTrip(value, type), type);
}

function printed(value: unknown, type: TypeNode | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) {
    const items = type?.kind === 'list' ? type.items : undefined;
    return `[${value.map((item) => printed(item, items)).join(',')}]`;
  }
  if (isObject(value)) return type?.kind === 'struct' ? struct(value, type) : map(value, type);
  return scalar(value, type);
}

function struct(value: JsonObject, { fields }: StructType): string {
  const members: string[] = [];
  for (const [name, field] of fields)
    if (Object.hasOwn(value, name) && value[name] !== undefined)
      members.push(`${text(name)}:${printed(value[name], field.type)}`);
  return `{${members.join(',')}}`;
}

function map(value: JsonObject, type: TypeNode | undefined): string {
  const values = type?.kind === 'map' ? type.values : undefined;
  const members = Object.keys(value)
    .toSorted(byCodePoint)
    .map((name) => `${text(name)}:${printed(value[name], values)}`);
  return `{${members.join(',')}}`;
}

function scalar(value: unknown, type: TypeNode | undefined): string {
  const quantity = type?.kind === 'scalar' && type.scalar === 'quantity' ? quantityOf(value) : undefined;
  if (quantity !== undefined) return text(canonicalQuantity(quantity));
  return typeof value === 'string' ? text(value) : String(value);
}

/** Go escapes what HTML gives a meaning, and the two line separators of JavaScript. */
const text = (value: string): string =>
  JSON.stringify(value)
    .replace(/\\[bf]/g, (short) => (short === '\\b' ? '\\u0008' : '\\u000c'))
    .replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
