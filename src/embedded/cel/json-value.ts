import { isObject } from '#base/std';
import { CelError, type CelValue, ListValue, MapValue, ObjectValue } from './value.ts';

/** The CEL value of JSON without a schema: whole numbers are ints, objects are maps. */
export function jsonValue(raw: unknown): CelValue {
  if (raw === null || raw === undefined) return null;
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
  if (typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'bigint') return raw;
  if (Array.isArray(raw)) return new ListValue(raw.map(jsonValue));
  if (!isObject(raw)) return new CelError('invalid type');
  const entries = Object.entries(raw).filter(([, value]) => value !== undefined);
  return MapValue.from(entries.map(([key, value]) => [key, jsonValue(value)] as const));
}

/** An object whose fields are computed at their first use, each once. */
export function lazyObject(fields: ReadonlyMap<string, () => CelValue>): ObjectValue {
  return new ObjectValue(new Lazy(fields));
}

class Lazy extends Map<string, CelValue> {
  readonly #fields: ReadonlyMap<string, () => CelValue>;

  constructor(fields: ReadonlyMap<string, () => CelValue>) {
    super();
    this.#fields = fields;
  }

  override get(name: string): CelValue | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    const made = this.#fields.get(name)?.();
    if (made !== undefined) this.set(name, made);
    return made;
  }
}
