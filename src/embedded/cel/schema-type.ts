import { type CelType, listOf, mapOf, simpleTypes } from './cel-type.ts';

/** The parts of a structural schema that decide the types of its values in expressions. */
export type ExprSchema = {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ExprSchema>>;
  readonly additionalProperties?: boolean | ExprSchema;
  readonly items?: ExprSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
};

/** A declared type with the bounds that cost estimates need. */
export type SchemaType = {
  readonly type: CelType;
  /** The maximal number of elements or characters of a value; 0 for other types. */
  readonly maxElements: number;
  /** The minimal size of a value in bytes of JSON. */
  readonly minSize: number;
  readonly items?: SchemaType;
  readonly fields?: ReadonlyMap<string, SchemaType>;
};

const maxRequest = 3 * 1024 * 1024;

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a property in expressions; undefined when it has none. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part);
}

const text: ExprSchema = { type: 'string' };
const resourceFields: Readonly<Record<string, ExprSchema>> = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

/** The schema of a whole resource, whose type and name are always accessible. */
export const asResource = (schema: ExprSchema): ExprSchema => ({
  ...schema,
  properties: { ...schema.properties, ...resourceFields },
});

/** The type of this schema's values in expressions; undefined when they are not accessible. */
export function schemaType(schema: ExprSchema, name: string, isResource = false): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    return { type: simpleTypes.dyn, maxElements: longestText(schema), minSize: 1 };
  }
  switch (schema.type) {
    case 'array':
      return arrayType(schema, name);
    case 'object':
      return objectType(isResource ? asResource(schema) : schema, name);
    case 'string':
      return textType(schema);
    case 'boolean':
      return { type: simpleTypes.bool, maxElements: 0, minSize: 4 };
    case 'number':
      return { type: simpleTypes.double, maxElements: 0, minSize: 1 };
    case 'integer':
      return { type: simpleTypes.int, maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

const inside = (schema: ExprSchema, name: string): SchemaType | undefined =>
  schemaType(schema, name, schema['x-kubernetes-embedded-resource'] === true);

function arrayType({ items, maxItems }: ExprSchema, name: string): SchemaType | undefined {
  const type = items && inside(items, `${name}.@idx`);
  if (!type) return undefined;
  const maxElements =
    maxItems === undefined ? Math.floor((maxRequest - 2) / (type.minSize + 1)) : Math.max(0, maxItems);
  return { type: listOf(type.type), maxElements, minSize: 2, items: type };
}

function objectType(schema: ExprSchema, name: string): SchemaType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return mapType(schema, additionalProperties, name);
  const fields = new Map<string, SchemaType>();
  let minSize = 2;
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(field);
    const type = inside(property, `${name}.${escaped ?? field}`);
    if (type && escaped !== undefined) fields.set(escaped, type);
    if (type && isWritten(schema, field)) minSize += byteLength(field) + type.minSize + 4;
  }
  const types = new Map([...fields].map(([field, { type }]) => [field, type]));
  return { type: { is: 'object', name, fields: types }, maxElements: 0, minSize, fields };
}

/** Whether every object has this field in its JSON. */
const isWritten = ({ required, properties }: ExprSchema, field: string): boolean =>
  required?.includes(field) === true && properties?.[field]?.default === undefined;

const byteLength = (value: string): number => new TextEncoder().encode(value).length;

function mapType({ maxProperties }: ExprSchema, values: ExprSchema, name: string): SchemaType | undefined {
  const type = inside(values, `${name}.@elem`);
  if (!type) return undefined;
  const most = Math.floor((maxRequest - 2) / (type.minSize + 6));
  const maxElements = maxProperties === undefined ? most : Math.max(0, maxProperties);
  return { type: mapOf(simpleTypes.string, type.type), maxElements, minSize: 2, items: type };
}

const longestText = ({ maxLength }: ExprSchema): number =>
  maxLength === undefined ? maxRequest - 2 : Math.max(0, maxLength) * 4;

function textType(schema: ExprSchema): SchemaType {
  switch (schema.format) {
    case 'byte': {
      const { maxLength } = schema;
      const maxElements = maxLength === undefined ? maxRequest - 2 : Math.max(0, maxLength);
      return { type: simpleTypes.bytes, maxElements, minSize: 2 };
    }
    case 'duration':
      return { type: simpleTypes.duration, maxElements: 32, minSize: 3 };
    case 'date':
      return { type: simpleTypes.timestamp, maxElements: 12, minSize: 12 };
    case 'date-time':
      return { type: simpleTypes.timestamp, maxElements: 32, minSize: 21 };
    default:
      return {
        type: simpleTypes.string,
        maxElements: longestEnum(schema) ?? longestText(schema),
        minSize: 2,
      };
  }
}

function longestEnum({ enum: values, maxLength }: ExprSchema): number | undefined {
  if (maxLength !== undefined || values === undefined || values.length === 0) return undefined;
  const texts = values.filter((value) => typeof value === 'string');
  return Math.max(0, ...texts.map(byteLength));
}
