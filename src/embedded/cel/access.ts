import { isFault } from './function-table.ts';
import {
  CelError,
  type CelValue,
  keyText,
  ListValue,
  MapValue,
  none,
  noSuchOverload,
  ObjectValue,
  Opaque,
  OptionalValue,
  typeNameOf,
} from './value.ts';

const missing = (key: CelValue): CelError => new CelError(`no such key: ${printKey(key)}`);

/** A key as Go prints it. */
function printKey(key: CelValue): string {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return String(key);
  return typeof key === 'number' ? String(key) : typeNameOf(key);
}

function found(value: CelValue, field: string): CelValue | undefined {
  if (value instanceof ObjectValue) return value.fields.get(field);
  if (value instanceof MapValue) return value.get(field);
  return value instanceof Opaque ? value.field(field) : undefined;
}

/** The field of a value; of an optional one, an optional field. */
export function fieldOf(value: CelValue, field: string): CelValue {
  if (value instanceof OptionalValue) {
    if (value.value === undefined) return none;
    const inside = found(value.value, field);
    return inside === undefined ? none : inside instanceof OptionalValue ? inside : new OptionalValue(inside);
  }
  return found(value, field) ?? missing(field);
}

/** Whether a field is present. */
export function hasField(value: CelValue, field: string): CelValue {
  if (value instanceof OptionalValue)
    return value.value !== undefined && found(value.value, field) !== undefined;
  // compat: a field that is null is not present
  if (value instanceof ObjectValue) return (found(value, field) ?? null) !== null;
  return value instanceof MapValue ? found(value, field) !== undefined : missing(field);
}

/** `value[key]`. */
export function elementAt(value: CelValue, key: CelValue): CelValue {
  if (value instanceof OptionalValue) return optionalAt(value, key);
  if (value instanceof ListValue) return itemAt(value, key);
  if (value instanceof MapValue) {
    if (keyText(key) === undefined) return new CelError(`unsupported key type: ${typeNameOf(key)}`);
    return value.get(key) ?? missing(key);
  }
  if (value instanceof ObjectValue && typeof key === 'string') return fieldOf(value, key);
  return missing(key);
}

function itemAt({ items }: ListValue, key: CelValue): CelValue {
  const index = keyText(key);
  if (index === undefined || !index.startsWith('n')) {
    return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
  }
  return items[Number(index.slice(1))] ?? new CelError(`index out of bounds: ${index.slice(1)}`);
}

/** `value[?key]`. */
export function optionalAt(value: CelValue, key: CelValue): CelValue {
  if (value instanceof OptionalValue) return value.value === undefined ? none : optionalAt(value.value, key);
  if (value instanceof ListValue) {
    const item = itemAt(value, key);
    return isFault(item) ? none : new OptionalValue(item);
  }
  if (value instanceof MapValue) {
    const inside = value.get(key);
    return inside === undefined ? none : new OptionalValue(inside);
  }
  if (!(value instanceof ObjectValue) || typeof key !== 'string') return noSuchOverload;
  const inside = value.fields.get(key);
  return inside === undefined ? none : new OptionalValue(inside);
}
