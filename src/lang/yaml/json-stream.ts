import { parseJson } from '#base/std';
import { YamlError } from './fault.ts';
import type { YamlBudget } from './limits.ts';

/** One value of a stream of JSON objects, and its offset in the stream. */
export type JsonChunk = { readonly value: unknown; readonly offset: number };

const blank = /\s*/y;

/**
 * compat sources DIR-9: a stream whose first character is `{` is JSON objects one after another.
 * Undefined when it turns out to be anything else, so that the caller can read it as YAML.
 */
export function readJsonStream(text: string, budget: YamlBudget): JsonChunk[] | undefined {
  const chunks: JsonChunk[] = [];
  for (let at = skipBlank(text, 0); at < text.length; ) {
    const end = text[at] === '{' ? objectEnd(text, at, budget) : undefined;
    if (end === undefined) return undefined;
    try {
      chunks.push({ value: parseJson(text.slice(at, end)), offset: at });
    } catch {
      return undefined;
    }
    at = skipBlank(text, end);
  }
  return chunks.length === 0 ? undefined : chunks;
}

function skipBlank(text: string, from: number): number {
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

/** Offset behind the object that opens at `start`; undefined when it never closes. */
function objectEnd(text: string, start: number, budget: YamlBudget): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = stringEnd(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        spend(budget, depth, at);
        break;
      case 0x2c: // ,
        spend(budget, depth, at);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Offset of the quote that closes the string opened at `start`; the text's length when none does. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function spend(budget: YamlBudget, depth: number, at: number): void {
  const { limits } = budget;
  if (depth > limits.depth) throw new YamlError('LimitExceeded', at, `nested deeper than ${limits.depth}`);
  budget.nodes += 1;
  if (budget.nodes > limits.nodes)
    throw new YamlError('LimitExceeded', at, `more than ${limits.nodes} nodes`);
}
