// A check of values against JSON schemas, for the part of 2020-12 that the document of the API uses. A keyword that it does not have
// is an error: nothing passes unchecked.

type Schema = Readonly<Record<string, unknown>>;
type Check = (value: unknown, wanted: never, at: At) => string[];
type At = { readonly path: string; readonly schema: Schema; readonly root: Schema };

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const isOfType = (value: unknown, type: string): boolean =>
  type === 'integer' ? typeof value === 'bigint' || Number.isInteger(value) : typeOf(value) === type;

/** Say nothing about a value. */
const notes = new Set(['description', 'title', 'default', 'format', '$schema', 'examples']);

const checks: Readonly<Record<string, Check>> = {
  type: (value, wanted: string | readonly string[], { path }) => {
    const types = [wanted].flat();
    return types.some((type) => isOfType(value, type)) ? [] : [`${path} is no ${types.join(' or ')}`];
  },
  enum: (value, wanted: readonly unknown[], { path }) =>
    wanted.includes(value) ? [] : [`${path} is none of ${wanted.join(', ')}`],
  const: (value, wanted: unknown, { path }) => (value === wanted ? [] : [`${path} is not ${wanted}`]),
  required: (value, wanted: readonly string[], { path }) =>
    isMap(value)
      ? wanted.flatMap((key) => (Object.hasOwn(value, key) ? [] : [`${path}.${key} is missing`]))
      : [],
  properties: (value, wanted: Readonly<Record<string, Schema>>, at) =>
    isMap(value)
      ? Object.entries(wanted).flatMap(([key, schema]) =>
          Object.hasOwn(value, key) ? below(value[key], schema, at, `.${key}`) : [],
        )
      : [],
  additionalProperties: (value, wanted: Schema | boolean, at) => {
    if (!isMap(value) || wanted === true) return [];
    const known = (at.schema.properties ?? {}) as Schema;
    const others = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    return others.flatMap((key) =>
      wanted === false ? [`${at.path}.${key} is not documented`] : below(value[key], wanted, at, `.${key}`),
    );
  },
  propertyNames: (value, wanted: Schema, at) =>
    isMap(value) ? Object.keys(value).flatMap((key) => below(key, wanted, at, ` (the name ${key})`)) : [],
  items: (value, wanted: Schema, at) =>
    Array.isArray(value) ? value.flatMap((item, i) => below(item, wanted, at, `[${i}]`)) : [],
  anyOf: (value, wanted: readonly Schema[], at) =>
    wanted.some((one) => below(value, one, at, '').length === 0) ? [] : [`${at.path} is none of its forms`],
  not: (value, wanted: Schema, at) =>
    below(value, wanted, at, '').length > 0 ? [] : [`${at.path} is what it must not be`],
  minimum: (value, wanted: number, { path }) =>
    typeof value !== 'number' || value >= wanted ? [] : [`${path} is less than ${wanted}`],
  maximum: (value, wanted: number, { path }) =>
    typeof value !== 'number' || value <= wanted ? [] : [`${path} is more than ${wanted}`],
  minLength: (value, wanted: number, { path }) =>
    typeof value !== 'string' || value.length >= wanted ? [] : [`${path} is too short`],
  maxLength: (value, wanted: number, { path }) =>
    typeof value !== 'string' || value.length <= wanted ? [] : [`${path} is too long`],
  pattern: (value, wanted: string, { path }) =>
    typeof value !== 'string' || new RegExp(wanted, 'u').test(value) ? [] : [`${path} is not ${wanted}`],
  minItems: (value, wanted: number, { path }) =>
    !Array.isArray(value) || value.length >= wanted ? [] : [`${path} has too few items`],
  maxItems: (value, wanted: number, { path }) =>
    !Array.isArray(value) || value.length <= wanted ? [] : [`${path} has too many items`],
  $ref: (value, wanted: string, at) => below(value, pointedAt(at.root, wanted), at, ''),
};

function pointedAt(root: Schema, pointer: string): Schema {
  const found = pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), root);
  if (!isMap(found)) throw new Error(`${pointer} points at nothing`);
  return found;
}

const below = (value: unknown, schema: Schema, { path, root }: At, step: string): string[] =>
  schemaProblems(value, schema, root, path + step);

/** What of a value its schema does not allow, each with its path; `root` is what references point into. */
export function schemaProblems(value: unknown, schema: Schema, root: Schema, path = ''): string[] {
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (notes.has(keyword) || keyword.startsWith('x-kubernetes-')) return [];
    const check = checks[keyword];
    if (!check) throw new Error(`the keyword ${keyword} is not checked here`);
    return check(value, wanted as never, { path, schema, root });
  });
}
