import { FairleadError, isObject, type JsonObject } from '#base/std';
import { setField } from '../parameters/flatten.ts';
import type { SetParameters } from '../parameters/set-parameters.ts';
import type { CompiledText } from './flat-text.ts';

/** A compiled value; undefined: no template is in it, and it renders as itself. */
type CompiledNode = ((set: SetParameters) => unknown) | undefined;

/** Compiles one text; undefined: it is no template. */
type TextCompiler = (text: string) => CompiledText | undefined;

/**
 * compat sources AST-6: all strings of a value and all keys of its maps, compiled once. Null entries of maps are dropped.
 * What holds no template is shared between all renderings. Errors name the path of the text.
 */
export function compileTree<T>(value: T, compile: TextCompiler, path = ''): (set: SetParameters) => T {
  const node = compileNode(value, compile, path);
  return node === undefined ? () => value : (set) => node(set) as T;
}

function compileNode(value: unknown, compile: TextCompiler, path: string): CompiledNode {
  if (typeof value === 'string') return compileLeaf(value, compile, path);
  if (Array.isArray(value)) return compileList(value, compile, path);
  return isObject(value) ? compileMap(value, compile, path) : undefined;
}

function compileLeaf(text: string, compile: TextCompiler, path: string): CompiledText | undefined {
  const compiled = located(path, () => compile(text));
  return compiled && ((set) => located(path, () => compiled(set)));
}

function located<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    throw new FairleadError(code, path === '' ? message : `${path}: ${message}`, thrown);
  }
}

function compileList(items: readonly unknown[], compile: TextCompiler, path: string): CompiledNode {
  const nodes = items.map((item, at) => compileNode(item, compile, `${path}[${at}]`));
  if (nodes.every((node) => node === undefined)) return undefined;
  return (set) => items.map((item, at) => nodes[at]?.(set) ?? item);
}

type Entry = {
  readonly key: string;
  readonly keyText: CompiledText | undefined;
  readonly value: unknown;
  readonly node: CompiledNode;
};

function compileMap(map: JsonObject, compile: TextCompiler, path: string): CompiledNode {
  const all = Object.entries(map);
  const entries = all
    .filter(([, value]) => value !== null)
    .map(([key, value]): Entry => {
      const below = path === '' ? key : `${path}.${key}`;
      return {
        key,
        keyText: compileLeaf(key, compile, below),
        value,
        node: compileNode(value, compile, below),
      };
    });
  const isConstant = entries.length === all.length && entries.every((one) => !one.keyText && !one.node);
  if (isConstant) return undefined;
  return (set) => {
    const rendered: JsonObject = {};
    for (const { key, keyText, value, node } of entries) {
      setField(rendered, keyText ? keyText(set) : key, node ? node(set) : value);
    }
    return rendered;
  };
}
