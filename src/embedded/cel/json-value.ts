import { isObject } from '#base/std';
import { Fault, ListValue, MapValue, ObjectValue, type Value } from './value.ts';

/** What an expression sees of a JSON value that no schema describes: whole numbers are ints, objects are maps. */
export function jsonValue(raw: unknown): Value {
  if (raw === null || raw === undefined) return null;
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
  if (typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'bigint') return raw;
  if (Array.isArray(raw)) return new ListValue(raw.map(jsonValue));
  if (!isObject(raw)) return new Fault('invalid type');
  const entries = Object.entries(raw).filter(([, value]) => value !== undefined);
  return MapValue.from(entries.map(([key, value]) => [key, jsonValue(value)] as const));
}

/** An object whose fields are worked out when they are first looked at, each once. */
export function lazyObject(fields: ReadonlyMap<string, () => Value>): ObjectValue {
  return new ObjectValue(new Lazy(fields));
}

class Lazy extends Map<string, Value> {
  readonly #fields: ReadonlyMap<string, () => Value>;

  constructor(fields: ReadonlyMap<string, () => Value>) {
    super();
    this.#fields = fields;
  }

  override get(name: string): Value | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    const made = this.#fields.get(name)?.();
    if (made !== undefined) this.set(name, made);
    return made;
  }
}
