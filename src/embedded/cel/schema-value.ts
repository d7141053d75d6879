import { fromBase64, isObject, type JsonObject } from '#base/std';
import { asResource, type ExprSchema, escapeName } from './schema-type.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import {
  CelError,
  type CelValue,
  Duration,
  type ListKind,
  ListValue,
  MapValue,
  ObjectValue,
  Timestamp,
} from './value.ts';

/** Caches the values of objects, so that several rules convert them once. */
export class SchemaValues {
  readonly #known = new WeakMap<object, Map<ExprSchema, CelValue>>();

  /** The CEL value of a JSON value of this schema. A value that does not fit its schema is a fault. */
  valueOf(raw: unknown, schema: ExprSchema): CelValue {
    if (typeof raw !== 'object' || raw === null) return this.#made(raw, schema);
    const bySchema = this.#known.get(raw) ?? new Map<ExprSchema, CelValue>();
    this.#known.set(raw, bySchema);
    const known = bySchema.get(schema);
    if (known !== undefined) return known;
    const value = this.#made(raw, schema);
    bySchema.set(schema, value);
    return value;
  }

  #made(raw: unknown, schema: ExprSchema): CelValue {
    if (raw === null || raw === undefined) {
      return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false');
    }
    if (schema['x-kubernetes-int-or-string']) return intOrString(raw);
    if (schema.type === 'object') {
      return isObject(raw)
        ? this.#object(raw, schema)
        : misfit('a map for the provided schema with type=object');
    }
    if (schema.type !== 'array') return scalarValue(raw, schema);
    return Array.isArray(raw)
      ? this.#list(raw, schema)
      : misfit('an array for the provided schema with type=array');
  }

  #object(raw: JsonObject, schema: ExprSchema): CelValue {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const { properties, additionalProperties } = isEmbedded ? resourceOf(schema) : schema;
    if (properties === undefined && typeof additionalProperties === 'object') {
      return MapValue.from(
        Object.entries(raw).map(([key, value]) => [key, this.valueOf(value, additionalProperties)] as const),
      );
    }
    const fields = new Map<string, CelValue>();
    for (const [name, property] of Object.entries(properties ?? {})) {
      const escaped = escapeName(name);
      const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
      if (escaped !== undefined && value !== undefined) fields.set(escaped, this.valueOf(value, property));
    }
    return new ObjectValue(fields);
  }

  #list(raw: readonly unknown[], schema: ExprSchema): CelValue {
    const { items } = schema;
    if (!items) return new CelError('invalid array type, expected Items with a non-empty Schema');
    return new ListValue(
      raw.map((item) => this.valueOf(item, items)),
      listKind(schema),
    );
  }
}

const resources = new WeakMap<ExprSchema, ExprSchema>();

function resourceOf(schema: ExprSchema): ExprSchema {
  const known = resources.get(schema) ?? asResource(schema);
  resources.set(schema, known);
  return known;
}

const misfit = (wanted: string): CelError => new CelError(`invalid data, expected ${wanted}`);

function listKind(schema: ExprSchema): ListKind {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return { as: 'set' };
  if (type !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return { as: 'map', keys: keys.map((key) => escapeName(key) ?? key) };
}

function integer(raw: unknown): bigint | undefined {
  if (typeof raw === 'bigint') return raw;
  return typeof raw === 'number' && Number.isInteger(raw) ? BigInt(raw) : undefined;
}

function intOrString(raw: unknown): CelValue {
  if (typeof raw === 'string') return raw;
  return integer(raw) ?? misfit('XIntOrString value to be either a string or integer');
}

function textValue(text: string, format: string | undefined): CelValue {
  switch (format) {
    case 'duration': {
      const nanos = parseDuration(text);
      return nanos === undefined ? new CelError(`Invalid duration ${text}`) : new Duration(nanos);
    }
    case 'date':
      return timeOr(`${text}T00:00:00Z`, `Invalid date formatted string ${text}`);
    case 'date-time':
      return timeOr(text, `Invalid date-time formatted string ${text}`);
    case 'byte': {
      const bytes = fromBase64(text.replace(/=+$/, ''));
      return bytes ?? new CelError(`Invalid byte formatted string ${text}`);
    }
    default:
      return text;
  }
}

function scalarValue(raw: unknown, { type, format }: ExprSchema): CelValue {
  switch (type) {
    case 'string':
      return typeof raw === 'string' ? textValue(raw, format) : misfit('string');
    case 'number':
      return typeof raw === 'number' || typeof raw === 'bigint' ? Number(raw) : misfit('float');
    case 'integer':
      return integer(raw) ?? misfit('int');
    case 'boolean':
      return typeof raw === 'boolean' ? raw : misfit('bool');
    default:
      return new CelError('invalid type');
  }
}

function timeOr(text: string, wrong: string): CelValue {
  const nanos = parseTimestamp(text);
  return nanos === undefined ? new CelError(wrong) : new Timestamp(nanos);
}
