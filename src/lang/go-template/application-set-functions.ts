import { FairleadError } from '#base/std';
import { parse, print } from '#lang/yaml';
import { fn, type TemplateFunctions } from './functions.ts';
import { types } from './go-type.ts';
import { printGoJson } from './sprig/json.ts';
import { sprigFunctions } from './sprig/sprig.ts';
import { lower } from './sprig/strings.ts';
import { byteSlice } from './text.ts';
import { type CallContext, GoError, GoList, GoMap, goValue, typeOf, type Value } from './value.ts';

/** compat sources AST-8: a name for DNS; what is not allowed becomes a dash. */
export const normalize = (name: string): string =>
  byteSlice(lower(name).replace(/[^-a-z0-9.]/gu, '-'), 0, 253).replace(/^[-.]+|[-.]+$/g, '');

/** compat sources AST-8: `max` bytes at most, cut at a dash when `smart`. The name is normalized first, so it is ASCII. */
export function slugify(name: string, max = 50, smart = true): string {
  const start = normalize(name);
  if (!smart && max < 0) throw new GoError(`runtime error: slice bounds out of range [:${max}]`);
  const cut = !smart && start.length >= max ? start.slice(0, max) : start;
  const slug = cut
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/-+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
  if (!smart || max <= 0 || slug.length <= max) return slug;
  const dash = slug.lastIndexOf('-', max);
  return slug.slice(0, dash < 0 ? max : dash);
}

/** compat sources AST-3: what ApplicationSets have: sprig, less what reads the machine, and these. */
export const applicationSetFunctions: TemplateFunctions = new Map([
  ...sprigFunctions,
  ['normalize', fn('string', (_run, name) => normalize(name))],
  ['slugify', fn('...any', (_run, ...args) => slugOf(args))],
  ['toYaml', fn('any', (run, value) => toYaml(run, value))],
  ['fromYaml', fn('string', (run, text) => mapOf(fromYaml(run, text)))],
  ['fromYamlArray', fn('string', (run, text) => listOf(fromYaml(run, text)))],
]);

function slugOf(args: readonly Value[]): string {
  const max = args.length > 1 ? asserted(args[0], 'int') : 50n;
  const smart = args.length > 2 ? asserted(args[1], 'bool') : true;
  const name = args.length === 0 ? '' : asserted(args.at(-1), 'string');
  return slugify(String(name), Number(max), Boolean(smart));
}

function asserted(value: Value, name: string): Value {
  const found = value === null || value === undefined ? 'nil' : typeOf(value).name;
  if (found !== name) throw new GoError(`interface conversion: interface {} is ${found}, not ${name}`);
  return value;
}

/** compat sources HF-1: through JSON, as sigs.k8s.io/yaml does it, so that an int prints like the float it becomes. */
function toYaml(run: CallContext, value: Value): string {
  const plain: unknown = JSON.parse(printGoJson(run, value, { html: false, indent: '' }));
  return print(plain, { keys: 'sorted', lines: 'folded' }).replace(/\n$/, '');
}

function fromYaml(run: CallContext, text: string): Value {
  run.alloc(text.length * 4);
  try {
    return goValue(parse(text) ?? null);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'RenderFailed') throw new GoError(error.message);
    throw error;
  }
}

function mapOf(value: Value): GoMap {
  if (value === null || value === undefined) return new GoMap(types.map, new Map());
  if (value instanceof GoMap) return value;
  throw unmarshal(value, 'map[string]interface {}');
}

function listOf(value: Value): GoList {
  if (value === null || value === undefined) return new GoList(types.anys, null);
  if (value instanceof GoList) return value;
  throw unmarshal(value, '[]interface {}');
}

/** The words of encoding/json for a value of the wrong type. */
function unmarshal(value: Exclude<Value, undefined | null>, type: string): GoError {
  const { kind } = typeOf(value);
  const name = { slice: 'array', map: 'object', float64: 'number' }[kind as string] ?? kind;
  return new GoError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${name} into Go value of type ${type}`,
  );
}
