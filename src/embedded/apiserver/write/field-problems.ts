import { anyType, isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';

/**
 * The unknown fields and duplicate keys of a JSON text, in their order (JSON.parse keeps the last duplicate
 * silently). Paths read `spec.ports[0].name`. The text must be valid JSON.
 */
export function fieldProblems(text: string, type: TypeNode): string[] {
  const found: string[] = [];
  const open: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
  for (let match = token.exec(text); match; match = token.exec(text)) step(match[0], open, { type, found });
  return found;
}

/**
 * Whether there are none, found by counting: the value has as many keys as the text, and all of them are declared.
 * False may also mean that the text cannot be counted.
 */
export function isPlainly(value: unknown, text: string, type: TypeNode): boolean {
  return keysIn(value, type) === colonsIn(text) && !/"\s+:/.test(text);
}

/** How many keys a value has, including nested ones; NaN when its type lacks one of them. */
function keysIn(value: unknown, type: TypeNode): number {
  if (Array.isArray(value)) return keysOfItems(value, type.kind === 'list' ? type.items : anyType);
  return isObject(value) ? keysOfFields(value, type) : 0;
}

function keysOfItems(items: readonly unknown[], type: TypeNode): number {
  let count = 0;
  for (const item of items) count += keysIn(item, type);
  return count;
}

function keysOfFields(fields: JsonObject, type: TypeNode): number {
  let count = 0;
  for (const key in fields) {
    const field = fieldOf(type, key);
    count += field === undefined ? Number.NaN : 1 + keysIn(fields[key], field);
  }
  return count;
}

/** At least the number of keys in the text, if each is directly followed by its colon. */
function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

type Level = {
  readonly path: string;
  readonly type: TypeNode | undefined;
  readonly seen: Set<string> | undefined;
  index: number;
  key: string;
  atKey: boolean;
};
type Search = { readonly type: TypeNode; readonly found: string[] };

function step(token: string, open: Level[], search: Search): void {
  const level = open.at(-1);
  switch (token) {
    case '{':
    case '[':
      open.push(opened(level, token === '{', search.type));
      return;
    case '}':
    case ']':
      open.pop();
      return;
    case ',':
      if (level) next(level);
      return;
    default:
      if (level?.seen && level.atKey) takeKey(level, token, search.found);
  }
}

function opened(level: Level | undefined, isObject: boolean, root: TypeNode): Level {
  const type = level ? childOf(level) : root;
  return {
    path: pathIn(level),
    type,
    seen: isObject ? new Set() : undefined,
    index: 0,
    key: '',
    atKey: isObject,
  };
}

/** undefined: below an unknown field, where nothing is checked. */
function childOf({ type, seen, key }: Level): TypeNode | undefined {
  if (!type) return undefined;
  if (!seen) return type.kind === 'list' ? type.items : anyType;
  return fieldOf(type, key);
}

function fieldOf(type: TypeNode, key: string): TypeNode | undefined {
  if (type.kind === 'map') return type.values;
  if (type.kind !== 'struct') return anyType;
  return type.fields.get(key)?.type ?? (type.open ? anyType : undefined);
}

function next(level: Level): void {
  level.index += 1;
  level.atKey = level.seen !== undefined;
}

function takeKey(level: Level, token: string, found: string[]): void {
  level.key = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  level.atKey = false;
  if (!level.type) return;
  if (!fieldOf(level.type, level.key)) found.push(`unknown field ${JSON.stringify(pathIn(level))}`);
  else if (level.seen?.has(level.key)) found.push(`duplicate field ${JSON.stringify(pathIn(level))}`);
  level.seen?.add(level.key);
}

function pathIn(level: Level | undefined): string {
  if (!level) return '';
  if (!level.seen) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.key : `${level.path}.${level.key}`;
}
