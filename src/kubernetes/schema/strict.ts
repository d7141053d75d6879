import { isObject, type JsonObject, type ScalarKind, type StructType, type TypeNode } from './type-node.ts';
import { fieldType, itemType } from './walk.ts';

/** `unknown`: no such field. `type`: the value has another JSON type than the field; `expected` names it. */
export type FieldProblem =
  | { readonly kind: 'unknown'; readonly path: string }
  | {
      readonly kind: 'type';
      readonly path: string;
      readonly expected: ScalarKind | 'object' | 'list';
      readonly found: string;
    };

type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'list' | 'object';

const accepted: Record<ScalarKind, readonly JsonType[]> = {
  string: ['string'],
  bytes: ['string'],
  time: ['string'],
  'micro-time': ['string'],
  duration: ['string'],
  int32: ['integer'],
  int64: ['integer'],
  number: ['integer', 'number'],
  boolean: ['boolean'],
  quantity: ['string', 'integer', 'number'],
  'int-or-string': ['string', 'integer'],
};

/** The JSON type of a value, integers apart from other numbers. */
function jsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value as 'boolean' | 'string' | 'object';
}

/** Whether a value's JSON type is one its type takes. Null fits everywhere. */
export function fits(value: unknown, type: TypeNode): boolean {
  if (value === null || value === undefined || type.kind === 'any') return true;
  if (type.kind === 'list') return Array.isArray(value);
  if (type.kind !== 'scalar') return isObject(value);
  if (typeof value === 'string' && type.scalar === 'string') return true;
  return accepted[type.scalar].includes(jsonType(value));
}

function expectedOf(type: TypeNode): ScalarKind | 'object' | 'list' {
  if (type.kind === 'scalar') return type.scalar;
  return type.kind === 'list' ? 'list' : 'object';
}

type Path = (string | number)[];

function printPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Every unknown field and every mistyped value, in document order; paths read `spec.containers[0].foo`. */
export function validateStrict(value: unknown, type: TypeNode): FieldProblem[] {
  const problems: FieldProblem[] = [];
  check(value, type, { path: [], problems });
  return problems;
}

/** The path is built only where there is a problem to report. */
type Search = { readonly path: Path; readonly problems: FieldProblem[] };

function check(value: unknown, type: TypeNode, search: Search): void {
  if (type.kind === 'any') return;
  if (!fits(value, type)) {
    const path = printPath(search.path);
    search.problems.push({ kind: 'type', path, expected: expectedOf(type), found: jsonType(value) });
  } else if (Array.isArray(value)) checkItems(value, itemType(type), search);
  else if (isObject(value)) checkFields(value, type, search);
}

function checkItems(items: readonly unknown[], type: TypeNode, search: Search): void {
  for (const [index, item] of items.entries()) {
    search.path.push(index);
    check(item, type, search);
    search.path.pop();
  }
}

function checkFields(fields: JsonObject, type: TypeNode, search: Search): void {
  for (const name of Object.keys(fields)) {
    search.path.push(name);
    const declared = fieldType(type, name);
    if (declared === undefined) search.problems.push({ kind: 'unknown', path: printPath(search.path) });
    else check(fields[name], declared, search);
    search.path.pop();
  }
}

/** The value without undeclared fields, and the paths that were dropped. Same value back if nothing was. */
export function prune(value: JsonObject, type: StructType): { value: JsonObject; dropped: string[] } {
  const dropped: string[] = [];
  const kept = keep(value, type, { path: [], dropped }) as JsonObject;
  return { value: kept, dropped };
}

type Pruning = { readonly path: Path; readonly dropped: string[] };

function keep(value: unknown, type: TypeNode, pruning: Pruning): unknown {
  if (type.kind === 'any' || type.kind === 'scalar') return value;
  if (Array.isArray(value)) return keepItems(value, itemType(type), pruning);
  return isObject(value) ? keepFields(value, type, pruning) : value;
}

function keepItems(items: unknown[], type: TypeNode, pruning: Pruning): unknown[] {
  const kept = items.map((item, index) => {
    pruning.path.push(index);
    const next = keep(item, type, pruning);
    pruning.path.pop();
    return next;
  });
  return kept.some((item, index) => item !== items[index]) ? kept : items;
}

function keepFields(fields: JsonObject, type: TypeNode, pruning: Pruning): JsonObject {
  const kept: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, field] of Object.entries(fields)) {
    pruning.path.push(name);
    const declared = fieldType(type, name);
    const next = declared === undefined ? undefined : keep(field, declared, pruning);
    if (declared === undefined) pruning.dropped.push(printPath(pruning.path));
    else kept.push([name, next]);
    isChanged ||= next !== field || declared === undefined;
    pruning.path.pop();
  }
  return isChanged ? Object.fromEntries(kept) : fields;
}
