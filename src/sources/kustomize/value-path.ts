import { isObject } from '#base/std';
import { decline } from './decline.ts';

/**
 * The parts of a path such as `spec.containers.[name=web].image` (sources KR-1). `\.` is a dot within a name, and so
 * are those in brackets.
 */
export function splitPath(text: string): string[] {
  const pieces = unescaped(text);
  const parts: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    let piece = pieces[at] ?? '';
    if (piece.startsWith('[') && !piece.endsWith(']')) {
      while (at + 1 < pieces.length && !piece.endsWith(']')) {
        at += 1;
        piece = `${piece}.${pieces[at]}`;
      }
      if (!piece.includes('=')) piece = piece.replace(/^[[\]]+|[[\]]+$/g, '');
    }
    parts.push(piece);
  }
  return parts;
}

function unescaped(text: string): string[] {
  const parts: string[] = [];
  const pieces = text.split('.');
  if (pieces.length > 1 && pieces[0] === '') pieces.shift();
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last?.endsWith('\\')) parts[parts.length - 1] = `${last.slice(0, -1)}.${piece}`;
    else parts.push(piece);
  }
  return parts;
}

const index = /^\d{1,6}$/;

/** An element of a list that a part names by a field and its value; undefined for any other part. */
export function elementOf(part: string): { readonly field: string; readonly value: string } | undefined {
  if (!part.startsWith('[') || !part.endsWith(']')) return undefined;
  const [, field = '', value = ''] =
    /^\[([^=]*)=([\s\S]*)\]$/.exec(part) ?? decline('an odd element in a path');
  return { field, value };
}

export const isIndex = (part: string): boolean => index.test(part);

/** The value that a path leads to; declines where there is none, which is an error to kustomize. */
export function lookup(from: unknown, parts: readonly string[]): unknown {
  let at = from;
  for (const part of parts) {
    if (/^[+-]\d|^\s|\s$|^[-*]?$/.test(part)) decline('an odd part of a path');
    at = Array.isArray(at) ? inList(at, part) : inMap(at, part);
  }
  return at === undefined || at === null ? decline('a path that leads nowhere') : at;
}

function inMap(value: unknown, part: string): unknown {
  if (!isObject(value) || isIndex(part) || elementOf(part)) decline('a path that leads nowhere');
  return Object.hasOwn(value, part) ? value[part] : undefined;
}

function inList(list: readonly unknown[], part: string): unknown {
  if (isIndex(part)) return list[Number(part)];
  const element = elementOf(part);
  if (!element || element.field === '') decline('a path that leads nowhere');
  return list.find((item) => isObject(item) && textOf(item[element.field]) === element.value);
}

const textOf = (value: unknown): string | undefined => {
  if (value === undefined || typeof value === 'string') return value;
  return decline('an element that is found by what is no text');
};
