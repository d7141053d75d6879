import { type CelSignature, type CelType, isDyn, readSignature } from './cel-type.ts';
import {
  CelError,
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts';

/** The cost of a call, beyond that of any call; undefined when there is no extra cost. */
export type Charge = (args: readonly CelValue[], result: CelValue) => number;

/** One overload of a function: its signature and its implementation. */
export type Overload = CelSignature & {
  readonly run: (...args: CelValue[]) => CelValue;
  readonly charge: Charge | undefined;
};

/** All overloads of one name. */
export type FunctionEntry = { readonly name: string; readonly overloads: readonly Overload[] };

/**
 * For each name its overloads: `[signature, implementation]`. The table checks the argument types before it runs
 * one.
 */
export type Rows = Readonly<
  Record<string, readonly (readonly [signature: string, run: (...args: never[]) => CelValue])[]>
>;

/** Functions by name; several libraries may add overloads to one name. */
export class FunctionTable {
  readonly #byName = new Map<string, { name: string; overloads: Overload[] }>();

  add(rows: Rows, charges: Readonly<Record<string, Charge>> = {}): this {
    for (const [name, overloads] of Object.entries(rows)) {
      const entry = this.#byName.get(name) ?? { name, overloads: [] };
      this.#byName.set(name, entry);
      for (const [text, run] of overloads) {
        const own = run as Overload['run'];
        entry.overloads.push({ ...readSignature(text), run: own, charge: charges[name] });
      }
    }
    return this;
  }

  get(name: string): FunctionEntry | undefined {
    return this.#byName.get(name);
  }
}

/** Whether an overload's parameter accepts a value. */
export function accepts(type: CelType, value: CelValue): boolean {
  switch (type.is) {
    case 'param':
      return true;
    case 'list':
      return value instanceof ListValue;
    case 'map':
      return value instanceof MapValue || value instanceof ObjectValue;
    case 'type':
      return value instanceof TypeValue;
    case 'object':
      return value instanceof ObjectValue;
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof OptionalValue
        : value instanceof Opaque && value.typeName === type.name;
    default:
      return isDyn(type) || acceptsSimple(type.name, value);
  }
}

function acceptsSimple(name: string, value: CelValue): boolean {
  switch (name) {
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null_type':
      return value === null;
    case 'timestamp':
      return value instanceof Timestamp;
    default:
      return value instanceof Duration;
  }
}

export const isFault = (value: CelValue): value is CelError => value instanceof CelError;
