import { FairleadError } from '#base/std';
import {
  compileTemplate,
  fn,
  GoError,
  goValue,
  type Template,
  type TemplateFunctions,
} from '#lang/go-template';
import { parse, print } from '#lang/yaml';
import { normalizeName, slug } from '../parameters/dns-name.ts';
import type { SetParameters } from '../parameters/set-parameters.ts';
import type { CompiledText } from './flat-text.ts';

/** A value of the template language as a function receives it. */
type GoArgument = Parameters<Parameters<typeof fn<'any'>>[1]>[1];

/** compat sources AST-3: what a set's templates can call beside Go's own functions. */
const setFunctions: TemplateFunctions = new Map([
  ['normalize', fn('string', (_run, text) => normalizeName(text))],
  ['slugify', fn('...any', (_run, ...args) => slugify(args))],
  ['toYaml', fn('any', (_run, value) => returning(() => print(plainOf(value)).replace(/\n$/, '')))],
  ['fromYaml', fn('string', (_run, text) => returning(() => goValue(parsed(text, 'object'))))],
  ['fromYamlArray', fn('string', (_run, text) => returning(() => goValue(parsed(text, 'list'))))],
]);

/** compat sources AST-8: the longest length, whether it is cut at a dash, the text; all but the text may be left out. */
function slugify(args: readonly GoArgument[]): string {
  const text = args.at(-1);
  const [max, smart] = args.slice(0, -1);
  if (typeof text !== 'string') throw new GoError('slugify: the last argument must be a string');
  if (max !== undefined && typeof max !== 'bigint') throw new GoError('slugify: the length must be an int');
  if (smart !== undefined && typeof smart !== 'boolean') {
    throw new GoError('slugify: whether it is cut at a dash must be a bool');
  }
  return slug(normalizeName(text), { max: Number(max ?? 50n), smart: smart ?? true });
}

/** compat sources AST-3: unlike Helm's, these functions return their errors. */
function returning<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    throw code === 'LimitExceeded' ? thrown : new GoError(message);
  }
}

function parsed(text: string, wanted: 'object' | 'list'): unknown {
  const value = parse(text, { name: 'the text' }) ?? (wanted === 'list' ? [] : {});
  const isWanted =
    wanted === 'list' ? Array.isArray(value) : typeof value === 'object' && !Array.isArray(value);
  if (isWanted) return value;
  throw new FairleadError('RenderFailed', `the text must be a YAML ${wanted}`);
}

/** A Go value as plain data. */
function plainOf(value: GoArgument | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if ('entries' in value) {
    return value.isNil
      ? null
      : Object.fromEntries([...value.entries].map(([name, inner]) => [name, plainOf(inner)]));
  }
  if ('items' in value) return value.isNil ? null : value.items.map(plainOf);
  if ('value' in value) return value.value;
  throw new FairleadError('RenderFailed', 'a value of this type cannot be written as YAML');
}

const converted = new WeakMap<SetParameters, ReturnType<typeof goValue>>();

/** Functions that change a map in place; their texts get parameters of their own, so that no field changes another (AST-5). */
const changing = /\b(?:set|unset|merge|mergeOverwrite|mustMerge|mustMergeOverwrite)\b/;

/** compat sources AST-3, AST-4: the text, read once; undefined: it is no template. Throws InvalidSpec. */
export function compileGo(text: string, options: readonly string[]): CompiledText | undefined {
  if (!text.includes('{{')) return undefined;
  const template = compiled(text, options);
  const isChanging = changing.test(text);
  return (set) => template.execute(isChanging ? set : dataOf(set));
}

/** A parameter without its dot is a function to Go; the usual mistake of a set that was written for flat mode. */
function compiled(text: string, options: readonly string[]): Template {
  try {
    return compileTemplate('template', text, { functions: setFunctions, options });
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    const [, name] = /function "(\w+)" not defined$/.exec(message) ?? [];
    throw name
      ? new FairleadError(code, `${message}; a parameter is written {{ .${name} }}`, thrown)
      : thrown;
  }
}

function dataOf(set: SetParameters): unknown {
  const known = converted.get(set);
  if (known !== undefined) return known;
  const data = goValue(set);
  converted.set(set, data);
  return data;
}

/** Whether a text failed because the parameters lack something that it names. */
export const isMissingKey = (thrown: unknown): boolean =>
  thrown instanceof FairleadError && thrown.message.includes('map has no entry for key');
